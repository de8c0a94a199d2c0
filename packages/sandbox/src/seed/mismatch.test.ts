import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsOf, mismatches, mismatchKinds, parseShares, spread } from './mismatch.ts';
import { Random, seedWords } from './random.ts';

describe('shares of mismatches', () => {
  const sumOf = (text: string) => {
    const shares = parseShares(text);
    if (typeof shares === 'string') throw new Error(shares);
    return [...shares.values()].reduce((sum, share) => sum + share, 0);
  };

  it('are five percent of all orders by default, or the chosen shares', () => {
    expect(sumOf('default')).toBeCloseTo(0.05, 10);
    expect(sumOf('12%')).toBeCloseTo(0.12, 10);
    expect(sumOf('0.5')).toBeCloseTo(0.5, 10);
    expect(parseShares('none')).toEqual(new Map());
    expect(parseShares('duplicate=0.5%, split=.25')).toEqual(
      new Map([
        ['duplicate', 0.005],
        ['split', 0.25],
      ]),
    );
  });

  it.each([
    ['', /no kind/],
    ['8', /^a share of all orders must be a percentage up to 100% or a fraction up to 1$/],
    ['101%', /^a share of all orders/],
    ['-5%', /^a share of all orders/],
    ['nonsense=1%', /no kind of mismatch; there are wrong-amount/],
    ['split', /share of split/],
    ['split=-1%', /share of split/],
    ['split=101%', /share of split/],
    ['split=1.5', /share of split/],
    ['split=1=2', /share of split/],
    ['split=1e-2', /share of split/],
    ['split=1%,split=1%', /twice/],
    ['split=60%,duplicate=60%', /more than all/],
    ['toString=1%', /no kind/],
  ])('rejects "%s"', (text, reason) => {
    expect(parseShares(text)).toMatch(reason);
  });

  it('are met exactly from any starting point', () => {
    const counts = fc
      .array(fc.tuple(fc.constantFrom(...mismatchKinds), fc.integer({ min: 0, max: 40 })))
      .map((entries) => new Map(entries));
    fc.assert(
      fc.property(counts, fc.integer({ min: 0, max: 500 }), fc.nat(), (wanted, more, start) => {
        const among = [...wanted.values()].reduce((sum, count) => sum + count, 0) + more;
        const kindOf = spread(wanted, among, among === 0 ? 0 : start % among);
        const met = new Map<string, number>();
        for (let order = 0; order < among + 10; order++) {
          const kind = kindOf(order);
          if (kind) met.set(kind, (met.get(kind) ?? 0) + 1);
        }
        for (const [kind, count] of wanted) expect(met.get(kind) ?? 0).toBe(count);
      }),
    );
  });

  it('are rounded to whole orders', () => {
    expect(countsOf(new Map([['split', 0.015]]), 1000)).toEqual(new Map([['split', 15]]));
    expect(Object.keys(mismatches)).toHaveLength(mismatchKinds.length);
  });
});

describe('random numbers', () => {
  const firstOf = (seed: string, index: number) => new Random(seedWords(seed), index).word();

  it('are the same for the same seed, on every machine', () => {
    const random = new Random(seedWords('7 sandbox'), 3);
    expect([random.word(), random.between(1, 6), random.hex(10)]).toEqual([
      3_900_540_739,
      3,
      'bb3a72e10b',
    ]);
  });

  it('differ for the next order, and for another seed', () => {
    const words = new Set<number>();
    for (let index = 0; index < 1000; index++) words.add(firstOf('7', index));
    for (let seed = 100; seed < 1100; seed++) words.add(firstOf(String(seed), 0));
    expect(words.size).toBe(2000);
  });

  it('are uniform', () => {
    const random = new Random(seedWords('even'), 0);
    const counts = Array<number>(10).fill(0);
    for (let index = 0; index < 100_000; index++) {
      const digit = random.between(0, 9);
      counts[digit] = (counts[digit] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
