import { LineProblem, type Read } from './line-problem.ts';
import type { NewLedgerLine } from './line.ts';
import type { Reading, TypeMeant } from './options.ts';

type TypeNotation = Pick<Reading, 'type' | 'words'>;

export const usualWords: ReadonlyMap<string, NewLedgerLine['type']> = new Map([
  ['settle', 'Settle'],
  ['refund', 'Refund'],
]);

/** Returns the meaning of a type word; undefined if it is not declared. */
export function meantBy(word: string, { words = usualWords }: TypeNotation): TypeMeant | undefined {
  return words.get(word.toLowerCase());
}

/** Determines the type from the word in the type column, or from the sign of the amount. */
export function readType(
  word: Read<string>,
  amount: Read<number>,
  notation: TypeNotation,
): Read<NewLedgerLine['type']> {
  if (word instanceof LineProblem) return word;
  const { type } = notation;
  const usual = type === 'sign' ? type : type && usualWords.get(type);
  const meant = word === undefined ? usual : meantBy(word, notation);
  if (meant === 'sign') {
    return typeof amount === 'number' ? (amount < 0 ? 'Refund' : 'Settle') : undefined;
  }
  return meant === 'Settle' || meant === 'Refund' ? meant : typeUnknown(notation);
}

function typeUnknown({ words }: TypeNotation): LineProblem {
  const message = words
    ? 'is not declared in `types`: add it, or set `skip-other-types`'
    : 'must be "settle" or "refund": map your words with `types`';
  return new LineProblem('type', 'type-unknown', message);
}

/**
 * The amount column determines the type; declared words in a type column must be consistent with
 * it.
 */
export function typeOfSide(
  word: Read<string>,
  type: NewLedgerLine['type'],
  notation: TypeNotation,
): Read<NewLedgerLine['type']> {
  if (word instanceof LineProblem) return word;
  if (word === undefined || notation.words === undefined) return type;
  const meant = meantBy(word, notation);
  if (meant === undefined) return typeUnknown(notation);
  if (meant === 'sign' || meant === type) return type;
  const message = 'contradicts the column of the amount';
  return new LineProblem('type', 'type-differs', message);
}
