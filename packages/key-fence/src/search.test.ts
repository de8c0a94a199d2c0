import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { armors, encodings, escapes, key, surroundings } from './encodings.fixture.ts';
import { fingerprint } from './fingerprint.ts';
import { scan } from './search.ts';

const secret = 'k3y-of+A/Test~9f8e7d6c5b4a=';

describe('a planted key is found', () => {
  test.each(encodings)('in $name, at any offset', ({ encode }) => {
    fc.assert(
      fc.property(key, surroundings, surroundings, surroundings, (secret, outer, before, after) => {
        const content = `${outer}"${encode(before + secret + after)}"${outer}`;
        expect(scan(content, { secrets: [secret] })).toMatchObject([{ key: 'secrets[0]' }]);
        expect(scan(Buffer.from(content, 'latin1'), { secrets: [secret] })).toHaveLength(1);
      }),
    );
  });

  it('in plain text, with any adjacent characters', () => {
    fc.assert(
      fc.property(key, surroundings, surroundings, (secret, before, after) => {
        const found = scan(before + secret + after, { secrets: [secret] });
        expect(found).toEqual([{ key: 'secrets[0]', encodings: [] }]);
      }),
    );
  });

  test.each(armors)('in $name, with adjacent letters and digits', ({ encode }) => {
    const word = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEF')),
      maxLength: 9,
    });
    fc.assert(
      fc.property(key, word, surroundings, word, (secret, left, before, right) => {
        const content = left + encode(before + secret) + right;
        expect(scan(content, { secrets: [secret] })).toHaveLength(1);
      }),
    );
  });

  test.each(escapes)('in $name, far from other escapes', ({ encode }) => {
    const far = 'plain words '.repeat(10_000);
    const other = encode('<other>&"%\\');
    for (const around of [
      [other, other],
      ['', other],
      [other, ''],
    ]) {
      const [before = '', after = ''] = around;
      const content = [before, `"${encode(secret)}"`, after].join(far);
      expect(scan(content, { secrets: [secret] })).toHaveLength(1);
    }
  });

  it('in two and three levels of nested encodings', () => {
    const chain = fc.array(fc.constantFrom(...encodings), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(key, chain, surroundings, (secret, chain, before) => {
        const content = chain.reduce((text, { encode }) => `"${encode(before + text)}"`, secret);
        expect(scan(content, { secrets: [secret] })).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it('by its fingerprint alone, in one encoding and in two nested encodings', () => {
    const chain = fc.array(fc.constantFrom(...encodings), { maxLength: 2 });
    // A fingerprint is slow to compute, so several contents have the same key.
    const keys = fc.sample(key, 6).map((secret) => ({ secret, print: fingerprint(secret) }));
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        chain,
        surroundings,
        ({ secret, print }, chain, before) => {
          const content = chain.reduce((text, { encode }) => `"${encode(before + text)}"`, secret);
          const found = scan(content, { fingerprints: [print] });
          expect(found).toMatchObject([{ key: 'fingerprints[0]' }]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('and each of several keys is reported once, with its encodings from the outermost to the innermost', () => {
    const other = 'another-key-0123456789';
    const content = `${secret} ${secret} ${Buffer.from(JSON.stringify(`"${other}`)).toString('hex')}`;
    expect(scan(content, { secrets: ['a-key-that-is-absent', secret, other] })).toEqual([
      { key: 'secrets[1]', encodings: [] },
      { key: 'secrets[2]', encodings: ['hex'] },
    ]);
  });
});

describe('clean text is not reported', () => {
  it('with any text in any encoding', () => {
    fc.assert(
      fc.property(
        key,
        key,
        fc.constantFrom(...encodings),
        surroundings,
        (secret, other, e, around) => {
          // Separated by spaces, which no key contains: a quote could be the key's first character.
          // Also separated by a bar, because bytes separated only by a space can form one list.
          const content = `${around} ${e.encode(around + other)} | ${e.encode(secret.slice(1))} `;
          // A short key can occur by chance: "61616161" is "aaaa" in hexadecimal.
          fc.pre(!(around + other).includes(secret) && !content.includes(secret));
          expect(scan(content, { secrets: [secret] })).toEqual([]);
        },
      ),
    );
  });

  it('by fingerprint, for a key with one different character', () => {
    const near = Array.from(secret, (_, at) => `${secret.slice(0, at)}!${secret.slice(at + 1)}`);
    expect(scan(near.join('\n'), { fingerprints: [fingerprint(secret)] })).toEqual([]);
  });

  it('even for long runs of the key’s alphabet', () => {
    const noise = Array.from({ length: 4000 }, (_, index) => (index * 7919).toString(36)).join('');
    expect(scan(noise, { fingerprints: [fingerprint('q8w7e6r5t4z3u2i1o0pasdfghjkl')] })).toEqual(
      [],
    );
  });

  it('even for a run of several megabytes, which does not break the search', () => {
    const picture = `"data:image/png;base64,${'iVBORw0KGgo'.repeat(400_000)}"`;
    expect(scan(picture, { secrets: [secret], fingerprints: [fingerprint(secret)] })).toEqual([]);
    expect(scan(picture + btoa(`..${secret}`), { secrets: [secret] })).toHaveLength(1);
  });

  it('when there are no keys', () => {
    expect(scan(secret, {})).toEqual([]);
  });
});

describe('unusable keys are refused without being repeated', () => {
  test.each([
    ['', 'is empty, or contains a space'],
    ['with a space in it', 'contains a space'],
    ['line-break-at-the-end\n', 'a line break'],
    ['schlüssel-schlüssel', 'outside ASCII'],
    ['short12', 'shorter than 8 characters'],
  ])('%j', (bad, message) => {
    const attempt = () => scan('text', { secrets: [secret, bad] });
    expect(attempt).toThrow(message);
    expect(attempt).toThrow('secrets[1]');
    if (bad) expect(attempt).not.toThrow(bad);
  });
});
