/** Name of a game. */
export type Name = 'big2' | 'catch5';
/** The values of a record by field. Whole numbers of 64 bits that are not exact as numbers are bigint. */
export type Values = Record<string, any>;
/** Reads a file of this package. */
export type Reader = (file: string) => Promise<ArrayBuffer | Uint8Array>;

/** Rules to play by. */
export interface Rules {
  /** Of a preset, or null. */
  name: string | null;
  players: number;
  /** As `Rules.fields()` returns them in Python. */
  fields: Record<string, any>;
  table: Uint8Array;
}

/** Load a game; `read` reads the files of this package, by default from the folder of this module. */
export function loadGame(name: Name, read?: Reader): Promise<Game>;
export function readFile(file: string): Promise<ArrayBuffer | Uint8Array>;
/** Return the ids of the cards of a mask, ascending. */
export function cardsOf(mask: number): number[];
/** Return the mask of distinct card ids. */
export function maskOf(cards: number[]): number;

/** One game of cards: its rules, deals, and the positions that follow from them. */
export class Game {
  readonly name: Name;
  /** What the build wrote about the game: presets, records, texts. */
  readonly data: Record<string, any>;
  /** The names of the presets. */
  readonly presets: string[];
  /** Return rules by the name of a preset or by fields; fields that are missing have the values of the first preset. */
  rules(given: string | Record<string, any> | Rules): Rules;
  /** Return the fields of the record of some rules. */
  table(rules: string | Rules): Values;
  /** Deal at random, by a seed of 64 bits or a drawn one: the mask of each hand in Big 2, the values of a record `deal` in Catch Five. */
  deal(rules: string | Rules, seed?: bigint): number[] | Values;
  /** Start a game with a deal; hands are masks or lists of card ids. */
  start(rules: string | Rules, deal: (number | number[])[] | Values): Position;
  /** Return the strength of cards of Big 2: their kind times 65536 and their order in it; 0 if they are no combination. */
  strength(rules: string | Rules, cards: number): number;
  /** Return what a loser of Big 2 pays for a hand. */
  penalty(rules: string | Rules, hand: number): number;
  /** Return the position whose state has some values, see `Position.values`; fields without a value are 0. */
  restore(rules: string | Rules, values: Values): Position;
  /** Return a move as text: '3d', 'Tc Th', 'bid 4', 'trump H' or 'pass'. */
  text(rules: string | Rules, move: number): string;
}

/** A position of one game. It does not change: `play` returns another one. */
export class Position {
  constructor(game: Game, rules: Rules, state: Uint8Array, trace?: number[]);
  readonly game: Game;
  readonly rules: Rules;
  /** The record, which can be kept and given to `new Position(game, rules, state)`. */
  readonly state: Uint8Array;
  /** The moves so far, as far as they are known: deep looks guess hidden cards by them. */
  readonly trace: number[];
  /** The fields of the state by name, such as `hands`, `played`, `table`, `ply`, `winner` in Big 2. */
  readonly values: Values;
  /** The seat to move. */
  readonly player: number;
  /** Moves made. */
  readonly ply: number;
  /** Whether nobody may move. */
  readonly isOver: boolean;
  /** Return the legal moves, ascending by action id. */
  legalMoves(): number[];
  /** Make a legal move. */
  play(move: number): Position;
  /** Return what a seat sees, packed. */
  observe(seat?: number): Uint8Array;
  /** Return what a seat sees, by field. */
  seen(seat?: number): Values;
  /** Return what a seat sees as zeros and ones. */
  features(seat?: number): Int8Array;
  /** Return the payoff of each seat; zeros while the game lasts. */
  settle(): number[];
  /** Return the strength of cards of Big 2, see `Game.strength`. */
  strength(cards: number): number;
  /** Return the kind of a combination of Big 2, as a number. */
  kind(move: number): number;
  /** Return the move of the rule agent. */
  ruleMove(): number;
  /** Return the payoff of each legal move of Big 2 that wins in any case, 0 without a proof, -1 if it is unknown. */
  proofs(): number[];
  /** Return a move as text. */
  text(move: number): string;
}
