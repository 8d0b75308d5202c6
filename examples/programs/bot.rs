// Plays the longest legal move, the first of equals. Cards need no escapes, so no library of JSON is needed.
//   rustc -O -o bot examples/programs/bot.rs && python -m eval match program:./bot rule

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some(at) = line.find("\"actions\"") else {
            continue; // a game begins, which needs no answer
        };
        let list = line[at..].split(|c| c == '[' || c == ']').nth(1).unwrap_or("");
        let mut best = "";
        for move_ in list.split('"').skip(1).step_by(2) {
            if best.is_empty() || move_.matches(' ').count() > best.matches(' ').count() {
                best = move_;
            }
        }
        println!("{{\"move\":\"{best}\"}}");
        io::stdout().flush()?;
    }
    Ok(())
}
