import { expect, test } from 'vitest';
import { actor, asPersonName, isPersonName, person } from './person.ts';

const right = [
  'Ada',
  'Ada Lovelace (2)',
  'ada (login.example)',
  'Zoë Müller-Ŝ',
  '李 小龙',
  'O’Hara',
];
const wrong = [
  ...['Ada; approved by Grace', 'Ada, for Grace', 'Ada\rGrace', 'Ada\nGrace', 'Ada\u0000'],
  ...['Ada\u001B[2K', 'Ada\u202EecarG', 'Ada\u2066Grace', 'Ada\u2028Grace', 'Ada\u200BGrace'],
  ...['Ada\u00A0Grace', 'Ada\u034F', 'Ada\uFE0F', 'Ada\u3164', 'Ada\uE000', 'Ada\uD800', ''],
];

test.each(right)('takes the name %j as it is', (name) => {
  expect([isPersonName(name), person.parse(` ${name} `), asPersonName(name)]).toEqual([
    ...[true, name, name],
  ]);
});

test.each(wrong)('refuses the name %j', (name) => {
  expect([isPersonName(name), person.safeParse(name).success]).toEqual([false, false]);
});

test('turns a claim into a name, with spaces in place of forbidden characters', () => {
  expect(asPersonName(' Lovelace,\u202E Ada\r\n(\u200B2) ')).toBe('Lovelace Ada ( 2)');
  for (const name of wrong) {
    const made = asPersonName(name);
    expect([made, made === '' || isPersonName(made)]).toEqual([made, true]);
  }
});

test('accepts an actor of another program, with the represented persons', () => {
  expect(actor.parse('anna, for Bo')).toBe('anna, for Bo');
  expect(actor.safeParse('anna, for Bo; approved by ben').success).toBe(false);
  expect(actor.safeParse('anna, by Bo').success).toBe(false);
});
