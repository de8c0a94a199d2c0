import { expect, test } from 'vitest';
import { mixUp } from './base-url.ts';

test.each([
  ['https://api-sandbox.service.example', 'production', 'sandbox'],
  ['https://api.uat.service.example/', 'production', 'uat'],
  ['https://localhost:4443/sandbox', 'production', 'sandbox'],
  ['https://staging.service.example', 'production', 'test'],
  ['https://api.service.example/production', 'sandbox', 'production'],
  ['https://uat.service.example', 'sandbox', 'uat'],
] as const)('specification 5.5: refuses %s for %s', (address, environment, suspect) => {
  expect(mixUp(address, environment, {})).toContain(`looks like an address of "${suspect}"`);
});

test.each([
  ['https://api.service.example', 'production'],
  ['https://localhost:4443', 'production'],
  ['https://localhost:4443/production', 'production'],
  ['https://uatlas.example', 'production'],
  ['https://sandbox.service.example', 'sandbox'],
  ['https://service.example', 'uat'],
] as const)('accepts %s for %s', (address, environment) => {
  expect(mixUp(address, environment, {})).toBeUndefined();
});

const known = {
  uat: 'https://one.service.example/',
  production: 'https://uat-was-its-name.service.example',
};

test('an explicit list of base URLs takes precedence over their form', () => {
  expect(mixUp('https://uat-was-its-name.service.example/', 'production', known)).toBeUndefined();
  expect(mixUp('https://one.service.example', 'production', known)).toContain(
    'is the address of "uat"',
  );
  expect(mixUp('https://three.service.example', 'uat', known)).toContain(
    'is not the address of "uat"',
  );
  expect(mixUp('https://three.service.example', 'sandbox', known)).toBeUndefined();
});
