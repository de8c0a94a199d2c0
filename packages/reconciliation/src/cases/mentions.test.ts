import { expect, it, test } from 'vitest';
import { mentionsAfter, mentionsIn } from './mentions.ts';

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

it('removes the mention of a person who acts, and adds each person once', () => {
  const after = (actor: string, added: string[] = []) =>
    mentionsAfter(['anna', 'ben'], { actor, added });
  expect(after('anna')).toEqual(['ben']);
  expect(after('finance, for ben', ['anna', 'Zoë'])).toEqual(['anna', 'Zoë']);
  expect(after('finance')).toEqual(['anna', 'ben']);
});
