// Plays the longest legal move, the first of equals. Cards need no escapes, so no library of JSON is needed.
//   g++ -O2 -o bot examples/programs/bot.cpp && python -m eval match program:./bot rule

#include <algorithm>
#include <iostream>
#include <string>

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        size_t at = line.find("\"actions\"");
        if (at == std::string::npos) continue;  // a game begins, which needs no answer
        const size_t end = line.find(']', at);
        std::string best;
        long longest = -1;
        for (at = line.find('"', line.find('[', at)); at < end; at = line.find('"', at + 1)) {
            const size_t close = line.find('"', at + 1);
            const std::string move = line.substr(at + 1, close - at - 1);
            const long blanks = std::count(move.begin(), move.end(), ' ');
            if (blanks > longest) best = move, longest = blanks;
            at = close;
        }
        std::cout << "{\"move\":\"" << best << "\"}" << std::endl;
    }
}
