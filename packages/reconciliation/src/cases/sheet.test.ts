import type { CaseSheetMove } from '@financing-checkout/contract';
import { guardFormulas } from '@financing-checkout/contract/csv';
import { describe, expect, test } from 'vitest';
import type { CaseFact, CaseReader, OrderCorrection } from '../facts/case-facts.ts';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { readOrder } from '../imports/read/read-id.ts';
import { applySheet, type CorrectOrders } from './apply-sheet.ts';
import { type Cases, exception, openCases } from './cases.fixture.ts';
import type { CaseContext } from './change-cases.ts';
import { operateOnCase } from './operations.ts';
import { type CompareOrders, planSheet, type SheetPlan } from './sheet.ts';
import { sheetRecord } from './sheet-record.ts';
import type { SheetRow } from './sheet-row.ts';

const persons = new Set(['Ines', 'Tomas']);

/** Returns a row of an export with edited cells. */
function rowOf(fact: CaseFact, edits: Record<string, string> = {}, line = 2): SheetRow {
  const { assignee = '', code, currency, id, number, orderKey, reason = '', state } = fact;
  const cells = {
    order: orderKey.replace('order:', ''),
    order_key: orderKey,
    currency,
    case: id,
    revision: String(number),
    exception: code,
    state,
    assignee,
    reason,
    note: '',
  };
  return { line, cells: { ...cells, ...edits } };
}

/** Lines of a corrected order, in place of the ledger, which the tests of its import cover. */
const move: CaseSheetMove = {
  count: 1,
  settled: 500,
  refunded: 0,
  repeated: 0,
  staying: 0,
  orders: [],
  lines: [{ type: 'Settle', amount: 500, occurredAt: '2026-03-01T00:00:00Z' }],
};
const rules = {
  isKnown: (name: string) => persons.has(name),
  mayCorrect: true,
  readOrder,
  compareOrders: (corrections: readonly OrderCorrection[]) =>
    Promise.resolve(corrections.map(() => move)),
};
const plan = (all: { facts: CaseReader }, ...rows: SheetRow[]) => planSheet(all.facts, rows, rules);
const apply = (
  ctx: CaseContext,
  shown: SheetPlan,
  by: string,
  correctOrders: CorrectOrders = () => Promise.reject(new TypeError('No order is corrected.')),
) => applySheet(ctx, shown, { by, correctOrders });

describe('an edited export of cases', () => {
  const setUp = () => openCases(sqliteFacts());
  const act = (all: Cases, caseId: string, note: string) =>
    operateOnCase(all.ctx, {
      caseId,
      operation: { kind: 'noted', note },
      by: 'finance, for Tomas',
      key: `own ${note}`,
    });
  const caseIn = async (all: Cases, id: string) => {
    const found = await all.facts.findCase(id);
    if (found === undefined) throw new Error('The case is gone.');
    return found;
  };
  /** Opens this number of cases and returns them. */
  const openMany = async (all: Cases, count: number) => {
    for (let index = 0; index < count; index++) {
      all.source.exceptions.push(exception({ orderKey: `order:${index}` }));
    }
    await all.follow();
    return all.find();
  };
  const refusalOf = ({ planned, refused }: SheetPlan) => {
    expect(planned).toEqual([]);
    expect(refused).toHaveLength(1);
    return refused[0]?.refusal.refusal;
  };

  test('refuses a decision on a merged case, and decides merged cases with their main case', async () => {
    const all = await setUp();
    const [one, main] = await openMany(all, 2);
    if (one === undefined || main === undefined) throw new Error('There are no two cases.');
    const operation = { kind: 'merged', into: main.id } as const;
    const merged = await operateOnCase(all.ctx, {
      caseId: one.id,
      operation,
      by: 'Ines',
      key: 'merge',
    });
    const decision = { state: 'resolved', reason: 'they pay' };
    const refused = await plan(all, rowOf(merged, decision));
    expect(refusalOf(refused)).toBe('case-merged');
    expect(refused.refused[0]?.refusal.message).toContain(main.id);
    const shown = await plan(
      all,
      rowOf(await caseIn(all, main.id), decision),
      rowOf(merged, { note: 'asked them' }, 3),
    );
    await apply(all.ctx, shown, 'Ines');
    expect(await all.find()).toMatchObject([
      { state: 'resolved', reason: 'they pay' },
      { state: 'resolved', reason: 'they pay' },
    ]);
    expect((await all.kinds()).slice(4)).toEqual(['resolved', 'noted', 'resolved']);
    const edited = rowOf(await caseIn(all, one.id), { reason: 'they paid' });
    expect(refusalOf(await plan(all, edited))).toBe('case-merged');
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('shows each edited cell, applies it once, and keeps the trail valid', async () => {
    const all = await setUp();
    const fact = await all.openCase();
    const edits = { assignee: 'Tomas', state: 'Resolved', reason: 'they pay', note: 'asked them' };
    const row = rowOf(fact, edits, 7);
    const shown = await plan(all, row);
    expect(sheetRecord(shown, false)).toMatchObject({
      rows: 1,
      unchanged: 0,
      refusals: [],
      applied: false,
      differences: [
        { field: 'state', before: 'open', after: 'resolved', reason: 'they pay', line: 7 },
        { field: 'assignee', before: '', after: 'Tomas', events: ['assigned'], applied: false },
        { field: 'note', before: '', after: 'asked them', events: ['noted'] },
      ],
    });
    expect(await all.kinds()).toEqual(['opened']);
    await apply(all.ctx, shown, 'finance, for Ines');
    expect(await all.kinds()).toEqual(['opened', 'resolved', 'assigned', 'noted']);
    expect(await all.find()).toMatchObject([
      { state: 'resolved', reason: 'they pay', assignee: 'Tomas' },
    ]);
    expect((await all.events()).slice(1).map(({ actor }) => actor)).toEqual(
      Array(3).fill('finance, for Ines'),
    );
    const again = await plan(all, row);
    expect(again.digest).toBe(shown.digest);
    expect(sheetRecord(again, false).differences.map(({ applied }) => applied)).toEqual(
      Array(3).fill(true),
    );
    await apply(all.ctx, again, 'finance, for Tomas');
    expect(await all.kinds()).toHaveLength(4);
    expect(await all.verify()).toMatchObject({ valid: true, events: 4 });
  });

  test('corrects a reason with a new decision, removes an assignment and reopens a case', async () => {
    const all = await setUp();
    const { id } = await all.openCase();
    const first = rowOf(await caseIn(all, id), {
      state: 'ignored',
      reason: 'smal',
      assignee: 'Ines',
    });
    await apply(all.ctx, await plan(all, first), 'Ines');
    const one = await caseIn(all, id);
    const corrected = await plan(all, rowOf(one, { reason: 'small', assignee: '' }));
    expect(sheetRecord(corrected, false).differences).toMatchObject([
      { field: 'reason', before: 'smal', after: 'small', events: ['reopened', 'ignored'] },
      { field: 'assignee', before: 'Ines', after: '', events: ['assigned'] },
    ]);
    await apply(all.ctx, corrected, 'Ines');
    const two = await caseIn(all, id);
    expect(two).toMatchObject({ state: 'ignored', reason: 'small', assignee: undefined });
    await apply(
      all.ctx,
      await plan(all, rowOf(two, { state: 'open', reason: 'look again' })),
      'Ines',
    );
    expect(await caseIn(all, id)).toMatchObject({ state: 'open', reason: undefined });
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('ignores rows without edits, no matter what others did after the export', async () => {
    const all = await setUp();
    const fact = await all.openCase();
    await operateOnCase(all.ctx, {
      caseId: fact.id,
      operation: { kind: 'resolved', reason: "=done,\r\n'+ paid" },
      by: 'Ines',
      key: 'k',
    });
    const resolved = await caseIn(all, fact.id);
    await act(all, fact.id, 'later');
    const guarded = guardFormulas(resolved.reason ?? '');
    expect(guarded).toContain("'=");
    const written = [guarded, guarded.replace('\r', ''), guarded.replace('\r\n', ' ')];
    // A workbook does not need a guard.
    const texts = [...written, resolved.reason?.replace('\r\n', ' ')];
    const rows = [rowOf(fact), ...texts.map((reason = '') => rowOf(resolved, { reason }, 3))];
    expect(await plan(all, ...rows)).toMatchObject({ planned: [], refused: [] });
  });

  test('refuses an edited row whose case was changed, and reports by whom', async () => {
    const all = await setUp();
    const fact = await all.openCase();
    const row = rowOf(fact, { assignee: 'Ines' });
    await act(all, fact.id, 'asked the lender');
    const found = await plan(all, row);
    expect(refusalOf(found)).toBe('case-changed');
    expect(sheetRecord(found, false).refusals).toMatchObject([
      { line: 2, caseId: fact.id, merchantOrderId: 'A-1001', by: 'finance, for Tomas' },
    ]);
  });

  test('refuses a row that was changed while the sheet is applied', async () => {
    const all = await setUp();
    const cases = await openMany(all, 2);
    const rows = cases.map((fact, index) => rowOf(fact, { note: `note ${index}` }, index + 2));
    const shown = await plan(all, ...rows);
    await act(all, cases[0]?.id ?? '', 'meanwhile');
    const after = await apply(all.ctx, shown, 'Ines');
    expect(after).toMatchObject({
      planned: [{ line: 3 }],
      refused: [{ line: 2, event: { actor: 'finance, for Tomas' } }],
    });
    expect((await all.events()).map(({ detail }) => detail)).not.toContain('{"note":"note 0"}');
    expect((await plan(all, ...rows)).digest).not.toBe(shown.digest);
  });

  test.each([
    ['case-unknown', { case: 'case_1' }],
    ['case-unknown', { case: '' }],
    ['revision-unknown', { revision: '999' }],
    ['revision-unknown', { revision: '1,234' }],
    ['row-contradicts', { order: '1001', note: 'x' }],
    ['row-contradicts', { order_key: 'order:A-1002', note: 'x' }],
    ['row-contradicts', { currency: 'EUR', note: 'x' }],
    ['row-contradicts', { exception: 'OVER_FUNDED', note: 'x' }],
    ['person-unknown', { assignee: 'Tomsa' }],
    ['reason-missing', { state: 'resolved' }],
    ['reason-without-decision', { reason: 'they pay' }],
    ['state-unknown', { state: 'done', reason: 'they pay' }],
    ['state-unknown', { state: 'closed', reason: 'they pay' }],
    ['state-unknown', { state: '' }],
    ['text-invalid', { state: 'resolved', reason: '#NAME?' }],
  ])('refuses, as %s, a row with %j', async (refusal, edits) => {
    const all = await setUp();
    const fact = await all.openCase();
    expect(refusalOf(await plan(all, rowOf(fact, edits)))).toBe(refusal);
  });

  test.each([
    ['state-not-permitted', 'closed', { state: 'open', reason: 'look again' }],
    ['state-not-permitted', 'closed', { reason: 'not gone' }],
    ['reason-missing', 'ignored', { state: 'open' }],
    ['reason-missing', 'ignored', { state: 'resolved' }],
    ['reason-missing', 'ignored', { reason: '' }],
  ])('refuses, as %s, a %s case with %j', async (refusal, state, edits) => {
    const all = await setUp();
    const { id: caseId } = await all.openCase();
    const operation = { kind: 'ignored', reason: 'small' } as const;
    await operateOnCase(all.ctx, { caseId, operation, by: 'Ines', key: 'k' });
    if (state === 'closed') {
      all.source.exceptions = [];
      await all.follow();
    }
    expect(refusalOf(await plan(all, rowOf(await caseIn(all, caseId), edits)))).toBe(refusal);
  });

  test.each([
    ['note', 4_001],
    ['assignee', 201],
  ])('refuses text in %s with %i characters', async (column, length) => {
    const all = await setUp();
    const row = rowOf(await all.openCase(), { [column]: 'x'.repeat(length) });
    expect(refusalOf(await plan(all, row))).toBe('text-invalid');
  });

  test('refuses unreadable rows, and several edited rows of one case', async () => {
    const all = await setUp();
    const fact = await all.openCase();
    const torn = { line: 4, cells: {}, problem: 'has 9 values, the head has 8 columns' };
    const rows = [rowOf(fact, {}, 2), rowOf(fact, { note: 'x' }, 3), torn];
    expect((await plan(all, ...rows)).refused).toMatchObject([
      { line: 3, refusal: { refusal: 'case-repeated' } },
      { line: 4, refusal: { refusal: 'row-unreadable' } },
    ]);
  });

  describe('with a corrected order', () => {
    /** Writes the corrected lines as imports. */
    const writing =
      (all: Cases): CorrectOrders =>
      async (corrections, { actor, changeCases, digest }) => {
        const count = corrections.length;
        const fact = { source: 'import', actor, digest, count, at: 1 } as const;
        const imports = (['withdraw', 'add'] as const).map((action) => ({
          fact: { ...fact, id: `imp-${action}`, action },
          content: new Uint8Array([1]),
        }));
        await all.facts.writeImports(all.ctx.fence, imports, changeCases);
        return count;
      };

    test('shows the lines, writes them with the events of their case, and recognizes the correction later', async () => {
      const all = await setUp();
      const fact = await all.openCase();
      const row = rowOf(fact, { correct_order: 'A-1010', note: 'typed wrong' });
      const shown = await plan(all, row);
      expect(sheetRecord(shown, false).differences).toMatchObject([
        { field: 'correct_order', before: 'A-1001', after: 'A-1010', events: ['corrected'], move },
        { field: 'note' },
      ]);
      const applied = await apply(all.ctx, shown, 'finance, for Ines', writing(all));
      expect(sheetRecord(applied, true).differences.map((one) => one.applied)).toEqual([
        true,
        true,
      ]);
      expect(await all.facts.importsAfter(0, 9)).toMatchObject([
        { action: 'withdraw', actor: 'finance, for Ines' },
        { action: 'add', actor: 'finance, for Ines' },
      ]);
      expect(await all.kinds()).toEqual(['opened', 'corrected', 'noted']);
      expect((await all.events())[1]).toMatchObject({
        actor: 'finance, for Ines',
        detail: '{"order":"A-1010"}',
      });
      expect(await all.verify()).toMatchObject({ valid: true });
      // The lines have moved, the exception is gone, and the ledger would refuse the correction.
      all.source.exceptions = [];
      await all.follow();
      const again = await plan(all, row);
      expect(again.digest).toBe(shown.digest);
      expect(sheetRecord(again, false).differences).toMatchObject([
        { applied: true },
        { applied: true },
      ]);
      expect(again.planned[0]?.edits[0]?.move).toBeUndefined();
      await apply(all.ctx, again, 'finance');
      expect(await all.kinds()).toEqual(['opened', 'corrected', 'noted', 'closed']);
    });

    test.each([
      ['the case', async (all: Cases, id: string) => void (await act(all, id, 'meanwhile'))],
      ['the ledger', () => Promise.resolve()],
    ])('writes neither lines nor events if %s has changed', async (what, change) => {
      const all = await setUp();
      const fact = await all.openCase();
      const shown = await plan(all, rowOf(fact, { correct_order: 'A-1010', note: 'typed wrong' }));
      await change(all, fact.id);
      const events = await all.kinds();
      const correct: CorrectOrders =
        what === 'the ledger' ? () => Promise.resolve(undefined) : writing(all);
      await expect(apply(all.ctx, shown, 'Ines', correct)).rejects.toMatchObject({
        code: 'case-sheet-changed',
      });
      expect(await all.facts.importsAfter(0, 9)).toEqual([]);
      expect(await all.kinds()).toEqual(events);
    });

    test('refuses different corrections of one order, and accepts the same one from several rows', async () => {
      const all = await setUp();
      all.source.exceptions = (['AMOUNT_MISMATCH', 'OVER_FUNDED'] as const).map((code) =>
        exception({ code }),
      );
      await all.follow();
      const [one, other] = await all.find();
      if (one === undefined || other === undefined) throw new Error('There are no two cases.');
      const rows = (...orders: string[]) =>
        [one, other].map((fact, at) => rowOf(fact, { correct_order: orders[at] ?? '' }, at + 2));
      const found = await plan(all, ...rows('A-1010', 'A-1011'));
      expect(found.planned).toEqual([]);
      expect(found.refused).toMatchObject([
        { line: 2, refusal: { refusal: 'order-contradicts', column: 'correct_order' } },
        { line: 3, refusal: { refusal: 'order-contradicts' } },
      ]);
      expect(found.refused[0]?.refusal.message).toContain('line 3 corrects it to "A-1011"');
      expect(await plan(all, ...rows('A-1010', 'order:A-1010'))).toMatchObject({
        planned: [{ line: 2 }, { line: 3 }],
        refused: [],
      });
    });

    test('names the row that the ledger refuses, and keeps the others', async () => {
      const all = await setUp();
      const [one, other] = await openMany(all, 2);
      if (one === undefined || other === undefined) throw new Error('There are no two cases.');
      const compareOrders: CompareOrders = (corrections) =>
        Promise.resolve(
          corrections.map(({ order }) =>
            order === 'A-9' ? { refusal: 'order-unknown', message: 'is unknown' } : move,
          ),
        );
      const rows = [
        rowOf(one, { correct_order: 'A-9', note: 'not without the order' }, 2),
        rowOf(other, { correct_order: 'A-8' }, 3),
      ];
      const found = await planSheet(all.facts, rows, { ...rules, compareOrders });
      expect(found).toMatchObject({ planned: [{ line: 3 }], refused: [{ line: 2 }] });
      expect(sheetRecord(found, false).refusals).toMatchObject([
        {
          caseId: one.id,
          refusal: 'order-unknown',
          column: 'correct_order',
          message: 'is unknown',
        },
      ]);
    });

    test.each([
      ['text-invalid', '1.23457E+15'],
      ['text-invalid', '#NAME?'],
      ['text-invalid', 'x'.repeat(257)],
    ])('refuses, as %s, the order %s', async (refusal, order) => {
      const all = await setUp();
      const fact = await all.openCase();
      expect(refusalOf(await plan(all, rowOf(fact, { correct_order: order })))).toBe(refusal);
    });

    test('refuses a closed case, and a sender without the scope', async () => {
      const all = await setUp();
      const fact = await all.openCase();
      const row = rowOf(fact, { correct_order: 'A-1010' });
      expect(refusalOf(await planSheet(all.facts, [row], { ...rules, mayCorrect: false }))).toBe(
        'imports-not-permitted',
      );
      all.source.exceptions = [];
      await all.follow();
      const closed = rowOf(await caseIn(all, fact.id), { correct_order: 'A-1010' });
      expect(refusalOf(await plan(all, closed))).toBe('state-not-permitted');
      expect(refusalOf(await plan(all, row))).toBe('case-changed');
    });
  });

  test('applies the rest of a sheet that was interrupted between transactions', async () => {
    const all = await setUp();
    const cases = await openMany(all, 250);
    const rows = cases.map((fact, index) =>
      rowOf(fact, { state: 'ignored', reason: 'rounding', assignee: 'Tomas' }, index + 2),
    );
    const shown = await plan(all, ...rows);
    const ending = new AbortController();
    let transactions = 0;
    const facts: Cases['facts'] = Object.create(all.facts, {
      changeCases: {
        value: (...given: Parameters<Cases['facts']['changeCases']>) => {
          transactions += 1;
          if (transactions === 2) ending.abort();
          return all.facts.changeCases(...given);
        },
      },
    }) as Cases['facts'];
    await expect(
      apply({ ...all.ctx, facts, signal: ending.signal }, shown, 'Ines'),
    ).rejects.toMatchObject({ code: 'standby' });
    const half = await plan(all, ...rows);
    const applied = sheetRecord(half, false).differences.filter((one) => one.applied);
    expect(applied).toHaveLength(400);
    expect([half.digest, half.refused]).toEqual([shown.digest, []]);
    await apply(all.ctx, half, 'Ines');
    const ended = await all.find();
    expect(ended.every(({ state, assignee }) => state === 'ignored' && assignee === 'Tomas')).toBe(
      true,
    );
    expect(await all.verify()).toMatchObject({ valid: true, events: 750 });
  });
});
