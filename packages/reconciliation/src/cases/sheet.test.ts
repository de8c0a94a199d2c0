import { guardFormulas } from '@financing-checkout/contract/money';
import { describe, expect, test } from 'vitest';
import type { CaseFact, CaseReader } from '../facts/case-facts.ts';
import { sqliteFacts } from '../facts/facts.fixture.ts';
import { applySheet } from './apply-sheet.ts';
import { type Cases, exception, openCases } from './cases.fixture.ts';
import { operateOnCase } from './operations.ts';
import { planSheet, type SheetPlan } from './sheet.ts';
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

const rules = { isKnown: (name: string) => persons.has(name) };
const plan = (all: { facts: CaseReader }, ...rows: SheetRow[]) => planSheet(all.facts, rows, rules);

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
    const { fact: merged } = await operateOnCase(all.ctx, {
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
    await applySheet(all.ctx, shown, 'Ines');
    expect(await all.find()).toMatchObject([
      { state: 'resolved', reason: 'they pay' },
      { state: 'resolved', reason: 'they pay' },
    ]);
    expect((await all.kinds()).slice(4)).toEqual(['resolved', 'resolved', 'noted']);
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
    await applySheet(all.ctx, shown, 'finance, for Ines');
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
    await applySheet(all.ctx, again, 'finance, for Tomas');
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
    await applySheet(all.ctx, await plan(all, first), 'Ines');
    const one = await caseIn(all, id);
    const corrected = await plan(all, rowOf(one, { reason: 'small', assignee: '' }));
    expect(sheetRecord(corrected, false).differences).toMatchObject([
      { field: 'reason', before: 'smal', after: 'small', events: ['reopened', 'ignored'] },
      { field: 'assignee', before: 'Ines', after: '', events: ['assigned'] },
    ]);
    await applySheet(all.ctx, corrected, 'Ines');
    const two = await caseIn(all, id);
    expect(two).toMatchObject({ state: 'ignored', reason: 'small' });
    expect(two).not.toHaveProperty('assignee');
    await applySheet(
      all.ctx,
      await plan(all, rowOf(two, { state: 'open', reason: 'look again' })),
      'Ines',
    );
    const three = await caseIn(all, id);
    expect(three.state).toBe('open');
    expect(three).not.toHaveProperty('reason');
    expect(await all.verify()).toMatchObject({ valid: true });
  });

  test('ignores rows without edits, whatever changed after the export', async () => {
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
    const after = await applySheet(all.ctx, shown, 'Ines');
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
    ['order-edited', { order: 'A-1010' }],
    ['order-edited', { order: 'A-1010', note: 'x' }],
    ['order-edited', { order_key: 'order:A-1010' }],
    ['order-edited', { order: 'A-1010', order_key: 'order:A-1010' }],
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

  test('says to import a corrected file if an order is edited, and applies the other rows', async () => {
    const all = await setUp();
    const [one, other] = await openMany(all, 2);
    if (one === undefined || other === undefined) throw new Error('There are no two cases.');
    const rows = [rowOf(one, { order: 'A-1010' }), rowOf(other, { note: 'seen' }, 3)];
    const found = await plan(all, ...rows);
    expect(found).toMatchObject({
      planned: [{ line: 3 }],
      refused: [{ line: 2, refusal: { refusal: 'order-edited', column: 'order' } }],
    });
    expect(found.refused[0]?.refusal.message).toContain('import a corrected file');
  });

  test.each(['12345', '12345.0', '1.2345E+4'])(
    'passes an unedited row whose order 00012345 a spreadsheet wrote as %s, and refuses its edit',
    async (order) => {
      const all = await setUp();
      all.source.exceptions = [exception({ orderKey: 'order:00012345' })];
      await all.follow();
      const [fact] = await all.find();
      if (fact === undefined) throw new Error('There is no case.');
      expect(await plan(all, rowOf(fact, { order }))).toMatchObject({ planned: [], refused: [] });
      expect(refusalOf(await plan(all, rowOf(fact, { order, note: 'x' })))).toBe('row-contradicts');
    },
  );

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
      applySheet({ ...all.ctx, facts, signal: ending.signal }, shown, 'Ines'),
    ).rejects.toMatchObject({ code: 'standby' });
    const half = await plan(all, ...rows);
    const applied = sheetRecord(half, false).differences.filter((one) => one.applied);
    expect(applied).toHaveLength(400);
    expect([half.digest, half.refused]).toEqual([shown.digest, []]);
    await applySheet(all.ctx, half, 'Ines');
    const ended = await all.find();
    expect(ended.every(({ state, assignee }) => state === 'ignored' && assignee === 'Tomas')).toBe(
      true,
    );
    expect(await all.verify()).toMatchObject({ valid: true, events: 750 });
  });
});
