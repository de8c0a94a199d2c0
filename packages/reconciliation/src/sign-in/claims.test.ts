import { expect, test } from 'vitest';
import type { SignInSettings } from '../config/sign-in.ts';
import { claimAt, nameOf, rolesOf, scopesOf, statedClaims } from './claims.ts';

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
  ['["finance","other"]', ['finance']],
  ['{"auditors":true,"payers":false}', ['auditors']],
  [{ finance: true, payers: 'true', auditors: 'false' }, ['finance', 'payers']],
  // As Zitadel states the organizations of each role.
  [{ finance: { '1': 'shop.example' }, payers: {}, auditors: [] }, ['finance']],
  [{ finance: ['shop'], payers: null, auditors: 1 }, ['finance']],
])('maps the claim %j to roles', (roles, mapped) => {
  expect(rolesOf({ roles }, settings)).toEqual(mapped);
});

test.each([
  [undefined],
  [null],
  [[]],
  [['other']],
  ['finance payers'],
  ['finance,payers'],
  [{ finance: false, payers: 'false', auditors: 0 }],
  [{ roles: ['finance'] }],
  ['"finance"'],
  ['["[\\"finance\\"]"]'],
  ['[finance]'],
  [[['finance']]],
  [[{ finance: true }]],
  [true],
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
  for (const verified of [true, 'true']) {
    expect(rolesOf({ email, email_verified: verified }, byEmail)).toEqual([email]);
  }
  for (const verified of [undefined, false, 'false', 'True', 1, 'yes', ['true']]) {
    const claims = { email, email_verified: verified };
    expect(() => rolesOf(claims, byEmail)).toThrow('email-not-verified');
  }
});

test('requires the verification of an address from the same source', () => {
  const byEmail: SignInSettings = {
    ...settings,
    rolesClaim: 'email',
    roles: new Map([['ada@shop.example', ['read']]] as const),
  };
  const own = { email: 'ada@shop.example', name: 'Ada' };
  const verified = { email: 'own@elsewhere.example', email_verified: true };
  expect(() => rolesOf(statedClaims([own, verified], byEmail), byEmail)).toThrow(
    'value-not-mapped',
  );
  expect(() => rolesOf(statedClaims([own], byEmail), byEmail)).toThrow('email-not-verified');
  const good = { ...own, email_verified: 'true' };
  expect(rolesOf(statedClaims([{ name: 'Ada' }, good], byEmail), byEmail)).toEqual([own.email]);
});

test('uses each claim from the first source that contains it', () => {
  const sources = [
    { realm_access: { other: [] }, name: 'Ada' },
    { realm_access: { roles: ['finance'] }, name: 'Bob' },
  ];
  const nested = { ...settings, rolesClaim: 'realm_access.roles' };
  const claims = statedClaims(sources, nested);
  expect([rolesOf(claims, nested), nameOf(claims, nested)]).toEqual([
    ['finance'],
    'Ada (login.example)',
  ]);
});

test.each([
  [{ _claim_names: { roles: 'src1' }, _claim_sources: { src1: {} } }, 'too-many-groups'],
  [{ _claim_names: { groups: 'src1' } }, 'claim-missing'],
  [{ _claim_names: 'roles' }, 'claim-missing'],
  [{ _claim_names: { roles: 'src1' }, roles: ['other'] }, 'value-not-mapped'],
])('states the reason why %j has no roles', (claims, reason) => {
  expect(() => rolesOf(claims, settings)).toThrow(reason);
});

test('returns the scopes of all roles that are still mapped', () => {
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
