import { expect, test } from 'vitest';
import { mentionsIn } from './mentions.ts';

const people = ['anna', 'Anna Berg', 'ben', 'Zoë'];

test.each<[note: string, people: string[]]>([
  ['@ben please ask the lender', ['ben']],
  ['Paid? @Anna Berg, @BEN.', ['Anna Berg', 'ben']],
  ['@anna and (@zoë)', ['anna', 'Zoë']],
  ['@ben @ben', ['ben']],
  ['@annabel @benny', []],
  ['Write to ada@ben or x@ben.com', []],
  ['ben, 12 @ 3.00', []],
])('"%s" mentions %j', (note, expected) => {
  expect(mentionsIn(note, people)).toEqual(expected);
});
