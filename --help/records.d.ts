import {Game, Position} from './engine.js';

/** Read a record of a game from its deal on, with all hands known, checked by replaying it: its positions. */
export function readRecord(game: Game, record: Record<string, any>): Position[];
/** Write a game as a record, given its first position and its moves; `extra` has other keys, such as `seats`. */
export function writeRecord(start: Position, moves: number[], extra?: Record<string, any>): Record<string, any>;
