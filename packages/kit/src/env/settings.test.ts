import { expect, expectTypeOf, test } from 'vitest';
import { EnvironmentReader } from './reader.ts';
import { type GivenSettings, type SettingsOf, withDefaults } from './settings.ts';
import { anySecret, integer, matching, minutes, type VariableTable } from './variable.ts';
import { Secret } from '../secret/secret.ts';

const text = (rule: string) => matching((value) => value !== 'wrong', rule);
const variables = {
  SHOP_NAME: { as: 'name', type: text('must be a name'), isRequired: true, text: 'name' },
  SHOP_QUEUE: { as: 'limits.queue', type: integer(0, 9), fallback: '5', text: 'queue' },
  SHOP_PAUSE_MINUTES: { as: 'limits.pauseMs', type: minutes(0, 60), fallback: '2', text: 'pause' },
  SHOP_HOOK_URL: { as: 'hook?.url', type: text('must be an address'), text: 'address' },
  SHOP_HOOK_SECRET: { as: 'hook?.secret', type: anySecret, isSecret: true, text: 'secret' },
  SHOP_HOOK_TRIES: { as: 'hook.tries', type: integer(1, 9), fallback: '3', text: 'tries' },
  SHOP_KEY: { as: 'keys[]', type: anySecret, isSecret: true, text: 'key' },
  SHOP_KEY_PREVIOUS: { as: 'keys[]', type: anySecret, isSecret: true, text: 'former key' },
  SHOP_USER: { type: text('must be a user'), text: 'for commands' },
} as const satisfies VariableTable;

const files: Record<string, string> = { '/hook': 'one' };
const readerOf = (given: Record<string, string>) =>
  new EnvironmentReader(variables, given, (path) => files[path] ?? '');

function read(given: Record<string, string>): SettingsOf<typeof variables> {
  const reader = readerOf({ SHOP_NAME: 'north', ...given });
  reader.settings();
  return reader.complete();
}

function problemsOf(given: Record<string, string>): string[] {
  const reader = readerOf({ SHOP_NAME: 'north', ...given });
  reader.settings();
  return reader.problems.map(({ variable, message }) => `${variable} ${message}`);
}

test('puts each value in its place, and omits variables without a place', () => {
  expect(read({ SHOP_QUEUE: '7', SHOP_USER: 'Ada' })).toEqual({
    name: 'north',
    limits: { queue: 7, pauseMs: 120_000 },
    hook: undefined,
    keys: [],
  });
});

test('lists the values of all variables with the same place, in table order', () => {
  const { keys } = read({ SHOP_KEY_PREVIOUS: 'b', SHOP_KEY: 'a' });
  expect(keys.map((key) => key.reveal())).toEqual(['a', 'b']);
});

test('includes an optional group only if it has all required values', () => {
  expect(read({ SHOP_HOOK_TRIES: '4' }).hook).toBeUndefined();
  const { hook } = read({ SHOP_HOOK_URL: 'https://shop.example', SHOP_HOOK_SECRET: 'one' });
  expect([hook?.url, hook?.secret.reveal(), hook?.tries]).toEqual([
    'https://shop.example',
    'one',
    3,
  ]);
  expect(problemsOf({ SHOP_HOOK_URL: 'https://shop.example' })).toEqual([
    'SHOP_HOOK_SECRET is required with SHOP_HOOK_URL',
  ]);
  expect(problemsOf({ SHOP_HOOK_SECRET_FILE: '/hook' })).toEqual([
    'SHOP_HOOK_URL is required with SHOP_HOOK_SECRET',
  ]);
});

test('reports all missing and invalid values at once', () => {
  expect(problemsOf({ SHOP_NAME: '', SHOP_QUEUE: '10', SHOP_PAUSE_MINUTES: '61' })).toEqual([
    'SHOP_NAME is required; it must be a name',
    'SHOP_QUEUE must be an integer, 0 to 9',
    'SHOP_PAUSE_MINUTES must be an integer of minutes, 0 to 60',
  ]);
});

test('completes settings from an object, also within a group', () => {
  const hook = { url: 'https://shop.example', secret: new Secret('one') };
  const settings = withDefaults(variables, { name: 'north', limits: { queue: 1 }, hook, keys: [] });
  expect(settings).toEqual({
    name: 'north',
    limits: { queue: 1, pauseMs: 120_000 },
    hook: { ...hook, tries: 3 },
    keys: [],
  });
  expect(withDefaults(variables, {}).hook).toBeUndefined();
});

test('reads the file of a secret again, and refuses an unusable value', () => {
  const reader = readerOf({
    SHOP_NAME: 'north',
    SHOP_HOOK_URL: 'https://shop.example',
    SHOP_HOOK_SECRET_FILE: '/hook',
  });
  reader.settings();
  const [file] = reader.secretFiles((again, variable, secret) => {
    if (secret.reveal() === 'north') again.problem(variable, 'is the name');
  });
  files['/hook'] = 'two\n';
  expect(file?.read().reveal()).toBe('two');
  for (const [wrong, message] of [
    ['', 'SHOP_HOOK_SECRET_FILE points to an empty file'],
    ['north', 'SHOP_HOOK_SECRET is the name'],
  ] as const) {
    files['/hook'] = wrong;
    expect(() => file?.read()).toThrow(message);
  }
});

test('infers the types of the settings from the table', () => {
  type Settings = SettingsOf<typeof variables>;
  expectTypeOf<Settings['name']>().toEqualTypeOf<string>();
  expectTypeOf<Settings['limits']>().toEqualTypeOf<{ queue: number; pauseMs: number }>();
  expectTypeOf<Settings['keys']>().toEqualTypeOf<Secret[]>();
  expectTypeOf<Settings['hook']>().toEqualTypeOf<
    { url: string; secret: Secret; tries: number } | undefined
  >();
  expectTypeOf<keyof Settings>().toEqualTypeOf<'name' | 'limits' | 'keys' | 'hook'>();
  expectTypeOf<SettingsOf<typeof variables, undefined>['name']>().toEqualTypeOf<
    string | undefined
  >();
  expectTypeOf<{ hook: { url: string } }>().not.toExtend<GivenSettings<typeof variables>>();
  expectTypeOf<{ limits: { queue: number } }>().toExtend<GivenSettings<typeof variables>>();
});
