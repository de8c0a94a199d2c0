import { expect, test } from 'vitest';
import type { SignInSettings } from '../config/sign-in.ts';
import { claimAt, nameOf, rolesOf, scopesOf } from './claims.ts';

const settings: SignInSettings = {
  issuer: 'https://login.example/realms/shop',
  clientId: 'reconciliation',
  clientSecret: undefined,
  label: 'Example',
  url: 'https://console.example',
  scope: 'openid',
  rolesClaim: 'roles',
  roles: new Map([
    ['finance', ['cases', 'sync']],
    ['payers', ['cases', 'money']],
    ['auditors', ['read']],
  ] as const),
  nameClaim: 'name',
  recheckMs: 300_000,
};

test.each([
  ['roles', ['a']],
  ['realm_access.roles', ['b']],
  ['resource_access.my.client.roles', ['c']],
  ['https://shop.example/roles', ['d']],
  ['missing', undefined],
  ['roles.0', undefined],
  ['constructor', undefined],
  ['realm_access.constructor', undefined],
  ['', undefined],
])('finds the claim %j', (path, value) => {
  const claims = {
    roles: ['a'],
    realm_access: { roles: ['b'] },
    resource_access: { 'my.client': { roles: ['c'] } },
    'https://shop.example/roles': ['d'],
  };
  expect(claimAt(claims, path)).toEqual(value);
});

test.each([
  [
    ['finance', 'other', 'payers', 'finance'],
    ['finance', 'payers'],
  ],
  ['auditors', ['auditors']],
])('maps the claim %j to roles', (roles, mapped) => {
  expect(rolesOf({ roles }, settings)).toEqual(mapped);
});

test.each([
  [undefined],
  [null],
  [[]],
  [['other']],
  ['finance payers'],
  [{ finance: true }],
  [[['finance']]],
])('refuses a person with the roles %j', (roles) => {
  expect(() => rolesOf({ roles }, settings)).toThrow('no-role');
});

test('maps only an e-mail address that the provider has verified', () => {
  const byEmail: SignInSettings = {
    ...settings,
    rolesClaim: 'email',
    roles: new Map([['ada@shop.example', ['read']]] as const),
  };
  const email = 'ada@shop.example';
  expect(rolesOf({ email, email_verified: true }, byEmail)).toEqual([email]);
  for (const claims of [{ email }, { email, email_verified: false }]) {
    expect(() => rolesOf(claims, byEmail)).toThrow('email-not-verified');
  }
});

test('gives the scopes of all roles that are still mapped', () => {
  expect(scopesOf(['finance', 'removed', 'payers'], settings)).toEqual(['cases', 'sync', 'money']);
  expect(scopesOf(['removed'], settings)).toBeUndefined();
});

test.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['  Lovelace,  Ada ', 'Lovelace Ada'],
  // A token could have this name.
  ['ada', 'ada (login.example)'],
  ['reconciliation', 'reconciliation (login.example)'],
  ['ada@shop.example', 'ada@shop.example'],
  ['Ada\u202E\u0000\nLovelace; x', 'Ada Lovelace x'],
  ['Zoe\u0308 Müller', 'Zoë Müller'],
  ['山田 太郎', '山田 太郎'],
  ['worker, for Ada', 'worker for Ada'],
])('writes the name %j as %j in the trail', (name, written) => {
  expect(nameOf({ name }, settings)).toBe(written);
});

test.each([[undefined], [''], ['-'], [' \u200B '], [7], ['x'.repeat(81)]])(
  'refuses a person with the name %j',
  (name) => {
    expect(() => nameOf({ name }, settings)).toThrow('no-name');
  },
);
