import type { Chance } from './chance.ts';

/** A valid consumer, for requests with a changed value. */
export const consumer = {
  firstName: 'Ada',
  lastName: 'Quayle',
  email: 'ada@example.com',
  mobilePhoneNumber: '2025550123',
  shippingAddress: {
    line1: '1 Elm',
    city: 'Salem',
    zipCode: '97301',
    state: 'OR',
    country: 'US',
  },
};

/** Returns damaged JSON, or valid JSON with an unexpected value. */
export function oddJson(chance: Chance, right: object | undefined): string {
  return chance.of([
    () => JSON.stringify(oddValue(chance)),
    () => mutated(chance, right ?? {}),
    () => mutated(chance, right ?? {}),
    () => mutated(chance, right ?? {}),
    () => JSON.stringify(right ?? {}).slice(0, chance.whole(0, 80)),
    () => '['.repeat(chance.whole(1, 100_000)),
    () => `${'{"a":'.repeat(chance.whole(1, 20_000))}1`,
    () => `${'['.repeat(2000)}${']'.repeat(2000)}`,
    () => `{"amount":1e${chance.whole(300, 999)},"amount":-0}`,
    () => `{"__proto__":{"polluted":true},"constructor":${JSON.stringify(oddValue(chance))}}`,
    () => `\ufeff${JSON.stringify(right ?? {})}`,
    () => JSON.stringify({ long: 'x'.repeat(chance.whole(1, 60_000)) }),
    () => chance.text(200),
    () => '',
  ])();
}

/** Returns the valid body with one to three values replaced, at any depth. */
function mutated(chance: Chance, right: object): string {
  return JSON.stringify(spoiled(chance, right));
}

/** Returns a copy with one to three values replaced, at any depth. */
export function spoiled(chance: Chance, right: object): unknown {
  const copy: unknown = structuredClone(right);
  for (let times = chance.whole(1, 3); times > 0; times--) replaceSomewhere(chance, copy);
  return copy;
}

export function oddText(chance: Chance): string {
  return chance.of<() => string>([
    () => chance.text(200),
    () => 'x'.repeat(chance.of([1, 255, 4_097, 65_536, 65_537])),
    () => JSON.stringify(oddValue(chance)),
  ])();
}

function replaceSomewhere(chance: Chance, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  const names = Object.keys(holder);
  const name = names.length > 0 && chance.yes(0.95) ? chance.of(names) : chance.text(8);
  if (typeof holder[name] === 'object' && chance.yes(0.75)) replaceSomewhere(chance, holder[name]);
  // Defines keys such as `__proto__` as properties, because an assignment would set the prototype.
  else
    Object.defineProperty(holder, name, {
      value: oddValue(chance),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** Returns any JSON value, including numbers and strings at common limits. */
function oddValue(chance: Chance, depth = 0): unknown {
  const kinds: (() => unknown)[] = [
    () => null,
    () => chance.yes(0.5),
    () => chance.of([0, -0, -1, 1e21, 1e308, 5e-324, 0.1 + 0.2, 10.001, 2 ** 53, -(2 ** 63)]),
    () => chance.whole(-1000, 1000) / 100,
    () => chance.text(),
    () => 'x'.repeat(chance.of([255, 256, 257, 1024, 1025, 4097])),
    () => chance.of(['USD', 'JPY', 'KWD', 'XXX', 'true', 'null', 'NaN', '2026-02-30', '1e5']),
  ];
  if (depth < 4) {
    kinds.push(
      () => Array.from({ length: chance.whole(0, 5) }, () => oddValue(chance, depth + 1)),
      () =>
        Object.fromEntries(
          Array.from({ length: chance.whole(0, 5) }, () => [
            chance.text(10),
            oddValue(chance, depth + 1),
          ]),
        ),
    );
  }
  return chance.of(kinds)();
}
