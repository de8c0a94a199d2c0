import { randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { fingerprint, KeyFenceError } from './fingerprint.ts';
import { scan } from './search.ts';

const secret = 'f3c9a1b7e5d2480691bc7fe3a0d4c856';

describe('fingerprint', () => {
  it('contains the version, the alphabet and the length, and has a new salt each time', () => {
    const one = fingerprint(secret);
    expect(one).toMatch(/^kf1\.x32\.[\w-]{16}\.[0-9a-f]{4}\.[\w-]{22}$/);
    expect(fingerprint(secret)).not.toBe(one);
  });

  test.each([
    ['0123456789abcdef', 'x16'],
    ['0123456789ABCDEF', 'X16'],
    ['0123456789abcdefg', 'a17'],
    ['0123456789abcdef.', 't17'],
    ['0123456789abcdef,', 'v17'],
  ])('uses the narrowest alphabet: %s', (key, expected) => {
    expect(fingerprint(key).split('.')[1]).toBe(expected);
  });

  it('contains no part of the key in any encoding', () => {
    const key = randomBytes(16).toString('hex');
    const text = fingerprint(key);
    const parts = Array.from({ length: 25 }, (_, at) => key.slice(at, at + 8));
    expect(scan(text, { secrets: parts })).toEqual([]);
  });

  it('does not reveal that two fingerprints are of the same key, because the checksum depends on the salt', () => {
    const checks = new Set(Array.from({ length: 8 }, () => fingerprint(secret).split('.')[3]));
    // Two collisions in 8 draws out of 65 536 have a probability of less than one in a million.
    expect(checks.size).toBeGreaterThan(6);
  });

  test.each([
    ['fifteen-letters', 'too weak'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'too weak'],
    ['a key with spaces in it', 'contains a space'],
  ])('refuses %j without repeating it', (bad, message) => {
    const attempt = () => fingerprint(bad);
    expect(attempt).toThrow(KeyFenceError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(bad);
  });

  test.each(['', 'kf1', secret, 'kf2.x32.AAAAAAAAAAAAAAAA.0000.AAAAAAAAAAAAAAAAAAAAAA'])(
    'is not accepted: %j',
    (text) => {
      const attempt = () => scan('', { fingerprints: [text] });
      expect(attempt).toThrow('fingerprints[0] is not a fingerprint');
      // A user may have entered the key itself instead of its fingerprint.
      expect(attempt).not.toThrow(secret);
    },
  );

  it('matches a key at the start, in the middle and at the end of a longer run', () => {
    const keys = { fingerprints: [fingerprint(secret)] };
    for (const text of [secret, `${secret}abc`, `abc${secret}`, `0000${secret}ffff`]) {
      expect(scan(text, keys)).toHaveLength(1);
    }
  });
});
