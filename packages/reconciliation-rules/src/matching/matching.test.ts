import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

describe('matching a funding to a ledger line', () => {
  const settle = line('Settle', 10_000, { transactionId: 'T1', merchantTransactionId: 'M1' });

  it.each([
    ['the transaction', { transactionId: 'T1' }],
    ['the merchant’s transaction', { merchantTransactionId: 'M1' }],
    ['the exact amount', {}],
    ['an empty id, which is none', { transactionId: '', merchantTransactionId: '' }],
  ])('%s', (_, ids) => {
    expect(findExceptions([settle], [funding('Settle', 10_000, ids)])).toEqual([]);
  });

  it('uses the lender’s reference of a matched funding', () => {
    const part = { transactionId: 'T1', lenderReferenceId: 'R', status: 'AMOUNT_MISMATCH' };
    const rest = { transactionId: 'T7', lenderReferenceId: 'R', status: 'AMOUNT_MISMATCH' };
    const fundings = [funding('Settle', 9_000, part), funding('Settle', 1_000, rest)];
    expect(findExceptions([settle], fundings)).toEqual([]);
  });

  it('uses the lender’s reference of the line, even if its transaction is unknown', () => {
    const known = line('Settle', 10_000, { lenderReferenceId: 'R1' });
    const ids = { transactionId: 'T-of-the-service', lenderReferenceId: 'R1' };
    // By amount alone, it would pay the other line or none.
    const other = line('Settle', 9_000, { transactionId: 'T2' });
    const fundings = [
      funding('Settle', 9_000, { ...ids, status: 'AMOUNT_MISMATCH' }),
      funding('Settle', 9_000, { transactionId: 'T2' }),
    ];
    expect(findExceptions([known, other], fundings)).toEqual([['AMOUNT_MISMATCH', -1_000]]);
    expect(findExceptions([known], [funding('Settle', 10_000, ids)])).toEqual([]);
  });

  it('ignores a reference that several lines share, because it belongs to the loan', () => {
    const of = { lenderReferenceId: 'LOAN' };
    const ledger = [line('Settle', 10_000, of), line('Settle', 4_000, of)];
    const fundings = [4_000, 10_000].map((amount, at) =>
      funding('Settle', amount, { ...of, transactionId: `T${at}` }),
    );
    expect(findExceptions(ledger, fundings)).toEqual([]);
  });

  it('gives the same result by the lender’s reference as by transaction id', () => {
    const amount = fc.integer({ min: 1, max: 12 }).map((units) => units * 1_000);
    const pair = fc.record({
      type: fc.constantFrom('Settle' as const, 'Refund' as const),
      expected: amount,
      posted: fc.array(amount, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), (pairs) => {
        const [byId, byReference] = ['transactionId', 'lenderReferenceId'].map((name) => {
          const ledger = pairs.map(({ type, expected }, at) => ({
            id: `L${at}`,
            type,
            amount: expected,
            occurredAt: day(10),
            [name]: `${name} ${at}`,
          }));
          const fundings = pairs.flatMap(({ type, posted }, at) =>
            posted.map((value, part) => ({
              ...funding(type, value, { lenderReferenceId: undefined }),
              id: `F${at}-${part}`,
              transactionId: `of the service ${at}`,
              [name]: `${name} ${at}`,
            })),
          );
          return reconcileOrder(order(ledger, fundings), policy);
        });
        expect(byReference).toEqual(byId);
      }),
    );
  });

  it('does not treat two missing references as equal', () => {
    const other = line('Settle', 4_000, { transactionId: 'T2' });
    const none = { lenderReferenceId: undefined };
    const fundings = [
      funding('Settle', 10_000, { ...none, transactionId: 'T1' }),
      funding('Settle', 4_000, none),
    ];
    expect(findExceptions([settle, other], fundings)).toEqual([]);
  });

  it.each([
    ['taken back, it is missing', [-10_000], [['MISSING_AT_LENDER', 10_000]]],
    ['taken back in part, it is short', [-1_000], [['AMOUNT_MISMATCH', -1_000]]],
    ['taken back and paid again, it is paid', [-10_000, 10_000], []],
    ['paid again, it is paid twice', [10_000], [['DUPLICATE_FUNDING', 10_000]]],
  ])(
    'keeps the postings of a transaction together after a match by amount: %s',
    (_, amounts, findings) => {
      const ids = { transactionId: 'T7', lenderReferenceId: undefined };
      const fundings = [10_000, ...amounts].map((amount, later) =>
        funding('Settle', amount, { ...ids, fundedAt: day(12 + later) }),
      );
      const unnamed = line('Settle', 10_000);
      expect(findExceptions([unnamed], fundings)).toEqual(findings);
      const reference = fundings.map((one) => ({
        ...one,
        transactionId: undefined,
        lenderReferenceId: 'R7',
        status: 'MISSING',
      }));
      expect(findExceptions([unnamed], reference)).toEqual(expect.arrayContaining(findings));
    },
  );

  it('accepts an amount within tolerance', () => {
    const lenient = { ...policy, tolerance: { minorUnits: 0, basisPoints: 10 } };
    expect(findExceptions([settle], [funding('Settle', 9_990)], lenient)).toEqual([]);
    expect(findExceptions([settle], [funding('Settle', 9_989)], lenient)).toEqual([
      ['AMOUNT_MISMATCH', -11],
    ]);
  });

  it('accepts parts without any id as long as their sum does not exceed the line', () => {
    const parts = [4_000, 6_000].map((amount) => funding('Settle', amount));
    expect(findExceptions([settle], parts)).toEqual([]);
    expect(findExceptions([settle], [...parts, funding('Settle', 500)])).toEqual([
      ['LINE_NOT_IN_LEDGER', 500],
    ]);
  });

  it.each([
    [
      [100, 200],
      [50],
      [
        ['AMBIGUOUS_PAYMENT', 50],
        ['MISSING_AT_LENDER', 300],
      ],
    ],
    [
      [100, 200],
      [50, 50],
      [
        ['AMBIGUOUS_PAYMENT', 100],
        ['MISSING_AT_LENDER', 300],
      ],
    ],
    [
      [100, 200],
      [60, 90],
      [
        ['AMBIGUOUS_PAYMENT', 150],
        ['MISSING_AT_LENDER', 300],
      ],
    ],
    [
      [100, 200],
      [40, 150],
      [
        ['AMOUNT_MISMATCH', -50],
        ['AMBIGUOUS_PAYMENT', 40],
        ['MISSING_AT_LENDER', 100],
      ],
    ],
    // Which of two equal lines is paid makes no difference.
    [[100, 100], [50, 50], [['MISSING_AT_LENDER', 100]]],
    // Only one line has room: the other one is paid, or smaller.
    [[100, 300], [50, 100], [['AMOUNT_MISMATCH', -250]]],
    [
      [100, 200],
      [150],
      [
        ['AMOUNT_MISMATCH', -50],
        ['MISSING_AT_LENDER', 100],
      ],
    ],
  ])(
    'assigns a part to no line if it fits lines of different amounts: %j, %j',
    (settles, parts, findings) => {
      const [open, posted] = [
        settles.map((amount) => line('Settle', amount)),
        parts.map((amount) => funding('Settle', amount)),
      ];
      for (const ledger of [open, open.toReversed()]) {
        expect(findExceptions(ledger, posted)).toEqual(findings);
      }
      const received = parts.reduce((sum, amount) => sum + amount, 0);
      expect(reconcileOrder(order(open, posted), policy).funded.settle).toBe(received);
    },
  );

  describe('the exact remainder of a partly paid line', () => {
    const named = { transactionId: 'T1', status: 'AMOUNT_MISMATCH' };
    const started = line('Settle', 100, { transactionId: 'T1' });
    const first = funding('Settle', 60, named);
    const rest = [first, funding('Settle', 40)];
    const two = [line('Settle', 15), line('Settle', 25)];

    it.each([
      ['of a larger open line', [line('Settle', 200)], 0, [['MISSING_AT_LENDER', 200]]],
      [
        'of an open line of the same amount',
        [line('Settle', 100)],
        0,
        [['MISSING_AT_LENDER', 100]],
      ],
      ['of a line within tolerance', [line('Settle', 41)], 1, [['MISSING_AT_LENDER', 41]]],
      ['of lines with the same sum', two, 0, [['MISSING_AT_LENDER', 40]]],
    ])('is paid by a funding without an id instead %s', (_, others, tolerance, findings) => {
      for (const ledger of [
        [started, ...others],
        [...others, started],
      ]) {
        expect(findExceptions(ledger, rest, lenient(tolerance))).toEqual(findings);
      }
    });

    it('leaves a funding ambiguous if it is also the exact remainder of a line of another amount', () => {
      const other = line('Settle', 300, { transactionId: 'T2' });
      const part = funding('Settle', 260, { transactionId: 'T2', status: 'AMOUNT_MISMATCH' });
      for (const ledger of [
        [started, other],
        [other, started],
      ]) {
        expect(findExceptions(ledger, [...rest, part])).toEqual([
          ['AMOUNT_MISMATCH', -80],
          ['AMBIGUOUS_PAYMENT', 40],
        ]);
      }
    });

    it('is not paid by the funding of an unpaid line of that amount', () => {
      expect(findExceptions([started, line('Settle', 40)], rest)).toEqual([
        ['AMOUNT_MISMATCH', -40],
      ]);
    });

    it('is not paid by a funding with the id of another transaction', () => {
      const other = funding('Settle', 40, { transactionId: 'T9' });
      expect(findExceptions([started, line('Settle', 200)], [first, other])).toEqual([
        ['AMOUNT_MISMATCH', -40],
        ['LINE_NOT_IN_LEDGER', 40],
        ['MISSING_AT_LENDER', 200],
      ]);
    });

    it('is paid after a part without an id that fits only this line', () => {
      const ledger = [line('Settle', 100), line('Settle', 50)];
      const parts = [funding('Settle', 40), funding('Settle', 60)];
      expect(findExceptions(ledger, parts)).toEqual([['MISSING_AT_LENDER', 50]]);
    });
  });

  it('reports the same amount without an id as a duplicate', () => {
    const twice = [funding('Settle', 10_000), funding('Settle', 10_000)];
    expect(findExceptions([settle], twice)).toEqual([['DUPLICATE_FUNDING', 10_000]]);
  });

  it('leaves a second line of the same amount unpaid', () => {
    const other = line('Settle', 10_000, { transactionId: 'T2' });
    expect(findExceptions([settle, other], [funding('Settle', 10_000)])).toEqual([
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });

  it('prefers an id to an amount in any posting order', () => {
    const other = line('Settle', 6_000, { transactionId: 'T2' });
    const unnamed = funding('Settle', 10_000, { fundedAt: day(11) });
    const named = funding('Settle', 10_000, { transactionId: 'T1' });
    expect(findExceptions([settle, other], [unnamed, named])).toEqual([['AMOUNT_MISMATCH', 4_000]]);
  });

  it('joins lines that name the same transaction', () => {
    const items = [4_000, 6_000].map((amount) => line('Settle', amount, { transactionId: 'T1' }));
    expect(findExceptions(items, [funding('Settle', 10_000, { transactionId: 'T1' })])).toEqual([]);
  });

  it('accepts a refund with the id of its settle once the settle is paid', () => {
    const refund = line('Refund', 3_000, { transactionId: 'T2' });
    const fundings = [
      funding('Settle', 10_000, { transactionId: 'T1' }),
      funding('Refund', 3_000, { transactionId: 'T1' }),
    ];
    expect(findExceptions([settle, refund], fundings)).toEqual([]);
  });

  it('leaves the settle open when a refund with its id comes first', () => {
    const refund = line('Refund', 3_000, { transactionId: 'T2' });
    const ahead = funding('Refund', 3_000, { transactionId: 'T1' });
    expect(findExceptions([settle, refund], [ahead])).toEqual([['MISSING_AT_LENDER', 10_000]]);
    const sooner = { ...settle, occurredAt: day(99) };
    expect(reconcileOrder(order([sooner, refund], [ahead]), policy)).toMatchObject({
      headline: 'AWAITING_FUNDING',
      awaiting: 10_000,
    });
  });

  it.each([
    [11_000, 9_000, 1_000],
    [10_300, 9_000, -1_000],
    [11_000, 9_001, 1_000],
  ])('reports the larger direction of differences that offset: %i, %i', (one, another, amount) => {
    const other = line('Settle', 10_000, { transactionId: 'T2' });
    const fundings = [
      funding('Settle', one, { transactionId: 'T1' }),
      funding('Settle', another, { transactionId: 'T2' }),
    ];
    const status = reconcileOrder(order([settle, other], fundings), { ...policy, contracts: [] });
    expect(status).toMatchObject({ headline: 'AMOUNT_MISMATCH' });
    expect(status.exceptions).toMatchObject([{ amount, count: 2 }]);
  });
});

describe('does not match a ledger line to', () => {
  const settle = line('Settle', 10_000, { transactionId: 'T1', merchantTransactionId: 'M1' });
  const paid = funding('Settle', 10_000, { transactionId: 'T1' });

  it('an authorization that names it', () => {
    const authorized = funding('Authorize', 10_000, { transactionId: 'T1' });
    expect(findExceptions([settle], [authorized])).toEqual([['MISSING_AT_LENDER', 10_000]]);
  });

  it.each([
    ['a part that names another transaction', { transactionId: 'T9' }, 'LINE_NOT_IN_LEDGER'],
    [
      'a part that names another transaction of the merchant',
      { merchantTransactionId: 'M9' },
      'LINE_NOT_IN_LEDGER',
    ],
    ['a part that the service has no transaction for', { status: 'MISSING' }, 'MISSING_IN_SERVICE'],
  ])('%s', (_, other, code) => {
    expect(findExceptions([settle], [funding('Settle', 4_000, other)])).toEqual([
      [code, 4_000],
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });

  it('a repetition of approximately its amount under another id', () => {
    const other = funding('Settle', 9_995, { transactionId: 'T9' });
    expect(findExceptions([settle], [paid, other], lenient(10))).toEqual([
      ['LINE_NOT_IN_LEDGER', 9_995],
    ]);
  });

  it('an amount that is reversed without an id', () => {
    const back = funding('Settle', -500);
    expect(findExceptions([settle], [paid, back])).toEqual([['LINE_NOT_IN_LEDGER', -500]]);
  });

  it('a refund with its id when the settle amount is zero', () => {
    const nothing = funding('Settle', 0);
    const mistyped = funding('Refund', 10_000, { transactionId: 'T1', status: 'TYPE_MISMATCH' });
    expect(findExceptions([settle], [nothing, mistyped])).toEqual([['TYPE_MISMATCH', 10_000]]);
  });

  it('a refund with its id after the line is paid', () => {
    const refund = funding('Refund', 700, { transactionId: 'T1' });
    expect(findExceptions([settle], [paid, refund])).toEqual([['REFUND_NOT_IN_LEDGER', 700]]);
  });
});

describe('with several lines', () => {
  const [first, second] = ['1', '2'].map((n) => ({
    transactionId: `T${n}`,
    merchantTransactionId: `M${n}`,
  }));
  const settles = [line('Settle', 10_000, first), line('Settle', 10_000, second)];

  it('pays each of several equal lines with one of the equal fundings', () => {
    expect(findExceptions(settles, [funding('Settle', 10_000), funding('Settle', 10_000)])).toEqual(
      [],
    );
  });

  it('matches a corrected and repeated payment to each line without any id', () => {
    const unnamed = [line('Settle', 10_000), line('Settle', 10_000)];
    const posted = (transactionId: string, at: number) =>
      [10_000, -10_000, 10_000].map((amount, later) =>
        funding('Settle', amount, { transactionId, fundedAt: day(at + later) }),
      );
    const [first, second] = [posted('T7', 12), posted('T8', 15)];
    expect(findExceptions(unnamed, [...first, ...second])).toEqual([]);
    expect(findExceptions(unnamed, [...first, ...second.slice(0, 2)])).toEqual([
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });

  it('pays the line with the earliest settle first', () => {
    const [older, newer] = [
      line('Settle', 10_000, { ...second, occurredAt: day(10) }),
      line('Settle', 10_000, { ...first, occurredAt: day(99) }),
    ];
    const status = reconcileOrder(order([newer, older], [funding('Settle', 10_000)]), policy);
    expect(status).toMatchObject({
      headline: 'PARTIALLY_FUNDED',
      exceptions: [],
      awaiting: 10_000,
    });
  });

  it('ranks the transaction id above the merchant’s id', () => {
    const status = 'AMOUNT_MISMATCH';
    const fundings = [
      funding('Settle', 4_000, { transactionId: 'T1', status }),
      funding('Settle', 6_000, { transactionId: 'T1', merchantTransactionId: 'M2', status }),
      funding('Settle', 10_000, { transactionId: 'T2' }),
    ];
    expect(findExceptions(settles, fundings)).toEqual([]);
  });

  it('assigns further fundings of a reference that paid two lines to the first line', () => {
    const by = (n: string) => ({
      transactionId: n,
      lenderReferenceId: 'R',
      status: 'UNRECONCILED',
    });
    const fundings = [
      funding('Settle', 9_000, { ...by('T1'), fundedAt: day(11) }),
      funding('Settle', 10_000, by('T2')),
      funding('Settle', 1_000, { ...by('T9'), fundedAt: day(13) }),
    ];
    expect(findExceptions(settles, fundings)).toEqual([]);
  });
});

describe('within a tolerance of ten units', () => {
  const settle = line('Settle', 10_000, { transactionId: 'T1' });
  const refund = line('Refund', 3_000, { transactionId: 'T2' });
  const about = (id: string) => funding('Settle', 9_990, { transactionId: id });

  it('accepts an amount under another id', () => {
    expect(findExceptions([settle], [about('T9')], lenient(10))).toEqual([]);
  });

  it('accepts the last part without any id', () => {
    const parts = (last: number) => [funding('Settle', 4_000), funding('Settle', last)];
    expect(findExceptions([settle], parts(6_010), lenient(10))).toEqual([]);
    expect(findExceptions([settle], parts(6_011), lenient(10))).toEqual([
      ['AMOUNT_MISMATCH', -3_989],
      ['LINE_NOT_IN_LEDGER', 4_000],
    ]);
  });

  const swapped = [about('T2'), funding('Refund', 3_000, { transactionId: 'T1' })];

  it('accepts a settle and its refund that carry each other’s id', () => {
    expect(findExceptions([settle, refund], swapped, lenient(10))).toEqual([]);
  });

  it('rejects a line that another funding names under a wrong type', () => {
    const mistyped = funding('Refund', 9_000, { transactionId: 'T1' });
    expect(findExceptions([settle, refund], [...swapped, mistyped], lenient(10))).toEqual([
      ['TYPE_MISMATCH', 9_000],
      ['LINE_NOT_IN_LEDGER', 9_990],
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });
});

describe('signs', () => {
  const ledger = [
    line('Settle', 10_000, { transactionId: 'T1' }),
    line('Refund', 3_000, { transactionId: 'T2' }),
  ];
  const paid = funding('Settle', 10_000, { transactionId: 'T1' });

  it.each([3_000, -3_000])('reads a refund of %i as a refund of 3,000', (amount) => {
    const taken = funding('Refund', amount, { transactionId: 'T2' });
    const status = reconcileOrder(order(ledger, [paid, taken]), policy);
    expect(status).toMatchObject({
      headline: 'PARTIALLY_REFUNDED',
      funded: { settle: 10_000, refund: 3_000 },
      net: 10_000 - 290 - 3_000 + 87,
    });
  });

  it('treats opposite signs of one transaction as a correction', () => {
    const taken = [3_000, -3_000].map((amount) =>
      funding('Refund', amount, { transactionId: 'T2' }),
    );
    expect(findExceptions(ledger, [paid, ...taken])).toEqual([['REFUND_NOT_TAKEN', 3_000]]);
    const back = funding('Settle', -10_000, { transactionId: 'T1', fundedAt: day(13) });
    const again = funding('Settle', 10_000, { transactionId: 'T1', fundedAt: day(14) });
    expect(findExceptions(ledger.slice(0, 1), [paid, back, again])).toEqual([]);
    expect(findExceptions(ledger.slice(0, 1), [paid, back])).toEqual([
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });

  it('counts a reversed duplicate as one payment', () => {
    const id = { transactionId: 'T1' };
    const [again, back] = [1, -1].map((sign, later) =>
      funding('Settle', sign * 10_000, { ...id, fundedAt: day(13 + later) }),
    );
    const fundings = [paid, again, back].filter((one) => one !== undefined);
    expect(findExceptions(ledger.slice(0, 1), fundings)).toEqual([]);
    const status = reconcileOrder(order(ledger.slice(0, 1), fundings), policy);
    expect(status).toMatchObject({ funding: 'FUNDED', headline: 'FUNDED', net: 9_710 });
    // Refunds with either sign.
    for (const sign of [1, -1]) {
      const taken = [1, 1, -1].map((way, later) =>
        funding('Refund', sign * way * 3_000, { transactionId: 'T2', fundedAt: day(13 + later) }),
      );
      expect(findExceptions(ledger, [paid, ...taken])).toEqual([]);
    }
  });

  it('counts a MISSING posting that is matched later once', () => {
    const posted = { lenderReferenceId: 'R', fundedAt: day(12) };
    const before = funding('Settle', 10_000, { ...posted, status: 'MISSING' });
    const after = funding('Settle', 10_000, { ...posted, transactionId: 'T1' });
    expect(findExceptions(ledger.slice(0, 1), [before, after])).toEqual([]);
  });
});

it('reconciles an order with very many lines that no posting names', () => {
  // An order id may be a placeholder that many orders share. Scanning all lines for each posting
  // would take a minute.
  const count = 40_000;
  const many = Array.from({ length: count }, (_, n) => n + 1);
  const settles = many.map((n) => line('Settle', n, { id: `L${n}`, transactionId: `T${n}` }));
  const paid = many.map((n) => {
    const ids = { id: `F${n}`, transactionId: `X${n}`, lenderReferenceId: `R${n}` };
    return funding('Settle', n % 2 === 0 ? n : n + count, ids);
  });
  const short = (count / 2) ** 2;
  expect(findExceptions(settles, paid)).toEqual([
    ['LINE_NOT_IN_LEDGER', short + (count / 2) * count],
    ['MISSING_AT_LENDER', short],
  ]);
});
