/* `npm run test:recipes`: follows recipes of CONTRIBUTING.md in a copy of the working tree. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { Copy, filesOfRecipe, type Insertion } from './copy.ts';

let copy: Copy;
afterEach(() => copy.remove());

/** Number of source files of packages, without tests, that each recipe touches. */
const touched: Record<string, number> = {};
const countedIn = process.env.RECIPES_FILE;
afterAll(() => {
  if (countedIn !== undefined) writeFileSync(countedIn, JSON.stringify({ recipes: touched }));
});

const isSource = (file: string) => /^packages\/[^/]+\/src\//.test(file) && !file.includes('.test.');

/** Counts the files of a recipe, which are at most `most`. */
function count(name: string, most: number, files: readonly string[]): void {
  const sources = new Set(files.filter(isSource));
  touched[name] = Math.max(touched[name] ?? 0, sources.size);
  expect(sources.size).toBeLessThanOrEqual(most);
}

/**
 * Applies the changes in a new copy. Fails if they touch more than `most` source files, or a file that the
 * recipe does not name.
 */
function follow(
  [name, recipe]: readonly [name: string, recipe: string],
  most: number,
  insertions: readonly Insertion[],
): void {
  copy = new Copy();
  const changed = [...new Set(insertions.map(({ file }) => file))];
  count(name, most, changed);
  expect(filesOfRecipe(recipe)).toEqual(expect.arrayContaining(changed));
  for (const insertion of insertions) copy.insert(insertion);
  copy.node('scripts/compile.ts');
}

const vitest = (project: string, ...filters: string[]) =>
  copy.run('vitest', ['run', '--project', project, ...filters]);

test('an exception', () => {
  follow(['exception', 'Add an exception'], 5, [
    {
      file: 'packages/contract/src/reconciliation/exceptions.ts',
      before: '  DUPLICATE_FUNDING: {',
      text: `  CLAWBACK: {
    since: 'posted',
    caseDays: 3,
    en: {
      name: 'Clawback',
      meaning: 'A lender took money back as a clawback.',
      happened: ({ size }) => \`A lender took \${size} back as a clawback.\`,
      todo: 'Ask the lender what it is for.',
      message: ({ size }) => [\`You took \${size} back.\`, 'Please tell us what it is for.'],
    },
    de: {
      name: 'Rückholung',
      meaning: 'Ein Kreditgeber hat Geld zurückgeholt.',
      happened: ({ size }) => \`Ein Kreditgeber hat \${size} zurückgeholt.\`,
      todo: 'Fragen Sie den Kreditgeber, wofür der Betrag ist.',
      message: ({ size }) => [\`Sie haben \${size} zurückgeholt.\`, 'Bitte nennen Sie uns den Grund.'],
    },
  },
`,
    },
    {
      file: 'packages/reconciliation-rules/src/checks/postings.ts',
      after: "    if (kind === 'unknown') {\n",
      text: "      if (funding.transactionType === 'Clawback') findings.addPosting('CLAWBACK', amount, posting);\n      else ",
    },
    {
      file: 'packages/reconciliation-rules/src/status/mismatch.test.ts',
      before: "  'an unknown status': [",
      text: `  'a clawback': [
    order([settle], [paid, funding('Clawback', 10, { transactionId: 'T8' })]),
    ['CLAWBACK', 10, day(12)],
  ],
`,
    },
    {
      file: 'packages/reconciliation-rules/README.md',
      before: '| `DUPLICATE_FUNDING` ',
      text: '| `CLAWBACK` | A lender took money back as a clawback. | posted |\n',
    },
    {
      file: 'scripts/history/books.ts',
      after: "      post(adjusted, 'Adjustment', 12.5),\n",
      text: "      post(forgotten, 'Clawback', 4),\n",
    },
  ]);
  copy.node('scripts/build.ts');
  vitest('@financing-checkout/reconciliation-rules');
  vitest('@financing-checkout/reconciliation', 'triage', 'reasons');
  vitest('boundaries', 'documents');
  vitest('e2e', 'start', 'answers');
});

/** A setting of both programs, in minutes. */
const entryOf = (name: string, as: string) => `  ${name}: {
    as: '${as}',
    type: minutes(0, 60),
    fallback: '0',
    text: 'minutes without this work',
  },
`;
function useSetting(name: string, ...filters: string[]): void {
  const args = ['run', '--project', `@financing-checkout/${name}`];
  copy.run('vitest', [...args, 'readme'], { UPDATE_README: '1' });
  copy.run('vitest', [...args, 'readme', 'src/config', ...filters]);
}

test('a setting of the companion', () => {
  follow(['setting', 'Add a setting'], 2, [
    {
      file: 'packages/server/src/config/variables.ts',
      before: '  COMPANION_DOCS_URL: {\n',
      text: entryOf('COMPANION_PRUNE_PAUSE_MINUTES', 'prunePauseMs'),
    },
    {
      file: 'packages/server/src/config/variables.ts',
      before: '  oneOf,\n',
      text: '  minutes,\n',
    },
    {
      file: 'packages/server/src/background.ts',
      before: '    if (pruned === 0) nextPrune',
      text: '    nextPrune = now + ctx.prunePauseMs;\n',
    },
  ]);
  copy.write('packages/server/src/planted.test.ts', plantedSetting);
  useSetting('server', 'background', 'planted');
});

test('a setting of reconciliation', () => {
  follow(['setting', 'Add a setting'], 2, [
    {
      file: 'packages/reconciliation/src/config/variables.ts',
      before: '  RECONCILIATION_TOKEN: {',
      text: entryOf('RECONCILIATION_FOLLOW_PAUSE_MINUTES', 'sync.followPauseMs'),
    },
    {
      file: 'packages/reconciliation/src/engine/leader.ts',
      after: '    this.#nextFollow = clock.now() + FOLLOW_EVERY_MS;\n',
      text: '    this.#nextFollow += config.sync.followPauseMs;\n',
    },
  ]);
  useSetting('reconciliation');
});

/** A pause of 60 minutes, read from its variable, delays the next pruning by them. */
const plantedSetting = `import { expect, test } from 'vitest';
import { createCompanion } from './companion.fixture.ts';
import { environmentOf } from './config/variables.ts';

test('the setting is read and used', async () => {
  const reader = environmentOf({ COMPANION_PRUNE_PAUSE_MINUTES: '60' }, () => '');
  const { prunePauseMs } = reader.settings();
  expect(prunePauseMs).toBe(3_600_000);
  for (const [pause, times] of [
    [undefined, 2],
    [prunePauseMs, 1],
  ] as const) {
    const { background, store } = await createCompanion({ prunePauseMs: pause });
    let pruned = 0;
    store.prune = () => Promise.resolve(++pruned);
    for (let round = 0; round < 2; round++) await background.runOnce();
    expect(pruned).toBe(times);
  }
});
`;

test('a stored field', () => {
  follow(['stored field', 'Add a stored field'], 2, [
    {
      file: 'packages/server/src/store/schema.ts',
      before: '    items: json(z.array(orderedItemSchema)),\n',
      text: "    itemCount: whole().since('0010-item-count'),\n",
    },
    {
      file: 'packages/server/src/checkout/session.ts',
      before: '    items: order.items.map(',
      text: '    itemCount: order.items.length,\n',
    },
  ]);
  copy.write(
    'packages/server/src/planted.test.ts',
    `import { expect, test } from 'vitest';
import { createCompanion } from './companion.fixture.ts';

test('keeps the number of items', async () => {
  const companion = await createCompanion();
  const checkout = await companion.store.findCheckout(await companion.open());
  expect(checkout?.itemCount).toBe(checkout?.items.length);
});
`,
  );
  vitest('@financing-checkout/server', 'planted', 'schema.contract', 'store.contract', 'migrate');
});

test('an import option', () => {
  const imports = 'packages/reconciliation/src/imports/read';
  follow(['importOption', 'Add an import option'], 4, [
    {
      file: 'packages/contract/src/reconciliation/ledger-options.ts',
      before: '  units: z\n',
      text: `  skipNegative: z.boolean().optional().meta({ description: 'leave out rows with an amount below 0' }),
`,
    },
    {
      file: `${imports}/left-out.ts`,
      before: '  for (const lacking of options.skipRowsWithout ?? []) {',
      text: `  const amount = optionalText(record, 'amount', options);
  if (options.skipNegative === true && typeof amount === 'string' && amount.startsWith('-')) {
    return { reason: 'other-row' };
  }
`,
    },
    {
      file: `${imports}/left-out.test.ts`,
      before: "test('skips rows with undeclared type words",
      text: `test('skips rows with a negative amount', async () => {
  const { run } = await openLedger();
  const file = csv('A-1,settle,1.00,2026-01-01', 'A-2,settle,-2.00,2026-01-01');
  expect(await run(file, options)).toMatchObject({ applied: false });
  expect(await run(file, { ...options, skipNegative: true })).toMatchObject({ added: 1, skipped: 1 });
});

`,
    },
    {
      file: 'packages/console/src/locale/en.ts',
      before: "skipOtherTypes: 'Rows with",
      text: "skipNegative: 'Rows below 0', ",
    },
    {
      file: 'packages/console/src/locale/de.ts',
      before: "skipOtherTypes: 'Zeilen mit",
      text: "skipNegative: 'Zeilen unter 0', ",
    },
  ]);
  copy.insert({
    file: 'packages/reconciliation/src/cli/imports.test.ts',
    before: "it('reads a preset that looks like a path",
    text: `it('sends an option that only the schema has', async () => {
  expect(await sent('--skip-negative')).toMatchObject({ skipNegative: true });
});

`,
  });
  vitest('@financing-checkout/reconciliation', 'left-out', 'cli/imports');
  vitest('@financing-checkout/console (chromium)', 'locale', 'pages/imports');
});

test('a column of an export', () => {
  follow(['column', 'Add a column to an export'], 2, [
    {
      file: 'packages/reconciliation/src/queries/exports/export-tables.ts',
      after: "        moment('since'),\n        assumed,\n",
      text: "        word('is_old', `case when r.since < ${now - 86_400_000} then 'yes' else 'no' end`),\n",
    },
  ]);
  vitest('@financing-checkout/reconciliation', 'exports', 'export-csv', 'sheet');
});

test('a language of the elements', () => {
  const texts = 'packages/widget/src/texts';
  const list = `${texts}/languages.ts`;
  copy = new Copy();
  const german = readFileSync(join(root, texts, 'locales/de.ts'), 'utf8');
  const swedish = german
    .replace("lang: 'de'", "lang: 'sv'")
    .replace(/(?<=learnMore = ).*/, "'Läs mer';");
  copy.write(`${texts}/locales/sv.ts`, swedish);
  copy.insert({
    file: list,
    after: "pt: () => import('./locales/pt.ts'),\n",
    text: "  sv: () => import('./locales/sv.ts'),\n",
  });
  expect(filesOfRecipe('Add a language to the elements')).toEqual([`${texts}/locales/de.ts`, list]);
  count('language', 2, [`${texts}/locales/sv.ts`, list]);
  copy.node('scripts/compile.ts');
  const project = ['run', '--project', '*widget (node)'];
  copy.run('vitest', [...project, 'texts', 'readme'], { UPDATE_DOCS: '1' });
  copy.run('vitest', [...project, 'texts', 'readme']);
});

test('a language of the console', () => {
  const locale = 'packages/console/src/locale';
  copy = new Copy();
  const german = readFileSync(join(root, locale, 'de.ts'), 'utf8');
  copy.write(`${locale}/fr.ts`, german.replace('export const de: Texts', 'export const fr: Texts'));
  copy.insert({
    file: `${locale}/locale.ts`,
    after: "(await import('./de.ts')).de },\n",
    text: "  fr: { name: 'Français', load: async () => (await import('./fr.ts')).fr },\n",
  });
  expect(filesOfRecipe('Add a language to the console')).toEqual([`${locale}/locale.ts`]);
  count('language', 2, [`${locale}/fr.ts`, `${locale}/locale.ts`]);
  copy.node('scripts/compile.ts');
  vitest('@financing-checkout/console (chromium)', 'locale');
});

test('a lender’s quirk', () => {
  follow(['quirk', 'Add a quirk of a lender to the sandbox'], 3, [
    {
      file: 'packages/sandbox/src/lenders/lenders.ts',
      after: '  partialVoids?: boolean;\n',
      text: '  /** Whether the lender refuses to void a charge. */\n  refusesVoids?: boolean;\n',
    },
    {
      file: 'packages/sandbox/src/lenders/lenders.ts',
      after: "    id: 'pennowick',\n",
      text: '    refusesVoids: true,\n',
    },
    {
      file: 'packages/sandbox/src/charges/charges.ts',
      before: "      const isPartialVoid = type === 'Void'",
      text: `      if (type === 'Void' && this.#lenders.byId(charge.lenderId).refusesVoids === true) {
        throw notPermitted('The lender of this charge voids none.');
      }
`,
    },
    {
      file: 'packages/sandbox/src/checkout/lease.test.ts',
      after: "describe('a lease to own', () => {\n",
      text: `  it('is not voided by a lender that refuses voids', async () => {
    const voided = await test.call('POST', \`/v2/post-sale/charges/\${await lease()}/voids\`);
    expect(voided.status).toBe(400);
  });

`,
    },
  ]);
  vitest('@financing-checkout/sandbox', 'lease', 'charges');
});

test('an action on a case', () => {
  const locale = (language: string) => `packages/console/src/locale/${language}.ts`;
  const reconciliation = 'packages/reconciliation/src';
  follow(['caseVerb', 'Add an action on a case'], 8, [
    {
      file: 'packages/contract/src/reconciliation/case-verbs.ts',
      before: "  note: { kind: 'noted', field: 'note' },\n",
      text: "  escalate: { kind: 'escalated', field: 'reason', states: ['open'] },\n",
    },
    {
      file: 'packages/contract/src/reconciliation/case-operations.ts',
      before: "  wake: acting('wake',",
      text: "  escalate: acting('escalate', 'Ask the lender about a case', { reason: words }, {}),\n",
    },
    // It stores why.
    {
      file: 'packages/contract/src/reconciliation/cases.ts',
      before: '  /** People whom notes mention, and who have not',
      text: '  escalatedFor: z.string().optional(),\n',
    },
    {
      file: 'packages/contract/src/reconciliation/cases.ts',
      before: '  /** The actions that a person may take on the case now. */',
      text: '  escalatedFor: z.string().optional(),\n',
    },
    {
      file: 'packages/reconciliation-rules/src/cases/fold.ts',
      before: "    case 'changed':\n",
      text: "    case 'escalated':\n      return { ...after, escalatedFor: detail.reason };\n",
    },
    {
      file: `${reconciliation}/cases/record.ts`,
      before: '    can: permittedActions(',
      text: '    escalatedFor: row.escalatedFor,\n',
    },
    {
      file: 'packages/console/src/pages/cases/trail.ts',
      before: "  noted: 'receipt-text',\n",
      text: "  escalated: 'arrow-right',\n",
    },
    ...[
      ["    split: 'Split',", "    escalate: 'Escalate',\n"],
      ['    split: (n: number) =>', "    escalate: () => 'Escalate cases',\n"],
      ['    split: () =>', "    escalate: () => 'Case escalated.',\n"],
      ["    noted: 'added", "    escalated: 'escalated the case',\n"],
      ["      noted: 'Note on", "      escalated: 'Case escalated',\n"],
    ].map(([before, text = '']) => ({ file: locale('en'), before, text })),
    ...[
      ["    split: 'Abtrennen',", "    escalate: 'Nachfragen',\n"],
      ['    split: (n) =>', "    escalate: () => 'Bei Kreditgebern nachfragen',\n"],
      ['    split: () =>', "    escalate: () => 'Es ist nachgefragt.',\n"],
      ["    noted: 'hat", "    escalated: 'hat nachgefragt',\n"],
      ["      noted: 'Notiz zu", "      escalated: 'Nachfrage zu einem Fall',\n"],
    ].map(([before, text = '']) => ({ file: locale('de'), before, text })),
  ]);
  copy.write(
    `${reconciliation}/http/escalate.test.ts`,
    `import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { expect, test } from 'vitest';
import { commandLine } from '../cli/cli.fixture.ts';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';

const shared = shareProgram((atEnd) => startShop(1, atEnd));

test('escalates a case by a route and by a command', async () => {
  const { program } = shared;
  await program.sync(shopDays());
  const { cases } = await program.get<{ cases: CaseRecord[] }>('/cases');
  const { can, id = '' } = cases[0] ?? {};
  expect(can).toContain('escalate');
  const key = { 'idempotency-key': 'key-1' };
  const answer = await program.post(\`/cases/\${id}/escalate\`, { reason: 'asked' }, key);
  expect(await answer.json()).toMatchObject({ escalatedFor: 'asked' });
  expect(await program.get('/cases')).toMatchObject({ cases: [{ escalatedFor: 'asked' }] });
  const help = await commandLine({}, () => Promise.reject(new Error())).run('cases', '--help');
  expect(help.out).toMatch(/escalate .*<case-id> <reason>/);
  const { events } = await program.get<{ events: { kind: string }[] }>(\`/cases/\${id}\`);
  expect(events.at(-1)).toMatchObject({ kind: 'escalated', detail: { reason: 'asked' } });
});
`,
  );
  vitest('@financing-checkout/reconciliation', 'escalate', 'cases/operations');
  vitest('@financing-checkout/console (chromium)', 'pages/case.test', 'locale');
});

/** Runs a command against a program of the test. */
const asksProgram = `import { expect, test } from 'vitest';
import { commandsOf } from './cli/cli.fixture.ts';
import { shareProgram, shopDays, startShop } from './program.fixture.ts';

const shared = shareProgram((atEnd) => startShop(1, atEnd));
`;

test('a list, which is a page, a command and a file', () => {
  follow(['list', 'Add a list'], 3, [
    {
      file: 'packages/contract/src/reconciliation/trail-operations.ts',
      before: "  trail: read('/trail', {\n",
      text: `  people: read('/trail/people', {
    summary: 'Number of actions of each person',
    query: z.strictObject(page),
    answer: z.object({ people: z.array(z.object({ actor: z.string(), count: z.int() })) }),
    verb: { name: 'trail people' },
    table: {
      rows: 'people',
      columns: { actor: 'text', actions: ['count', 'count'] },
      empty: 'Nobody has done anything.',
    },
  }),
`,
    },
    {
      file: 'packages/reconciliation/src/http/routes/actions.ts',
      before: '  serveTable(app, tables, actionOperations.trail,',
      text: `  serveTable(app, tables, actionOperations.people, async () => {
    const rows = await engine.facts.trail(Number.MAX_SAFE_INTEGER, 500);
    const counts = Map.groupBy(rows, ({ begun }) => begun.actor);
    return { people: Array.from(counts, ([actor, own]) => ({ actor, count: own.length })) };
  });
`,
    },
    {
      file: 'packages/reconciliation/src/cli/trail.ts',
      before: '  addVerb(trail, trailOperations.trail,',
      text: '  addVerb(trail, trailOperations.people, verbsOf(shell));\n',
    },
  ]);
  copy.write(
    'packages/reconciliation/src/planted.test.ts',
    `${asksProgram}
test('lists people as a page, a table and a file', async () => {
  const { program } = shared;
  await program.sync(shopDays());
  await program.app.request('/exports/orders');
  const { people } = await program.get<{ people: object[] }>('/trail/people');
  expect(people.length).toBeGreaterThan(0);
  const { run } = commandsOf(program);
  expect((await run('trail', 'people')).out).toMatch(/^ACTOR +ACTIONS/);
  expect((await run('trail', 'people', '--format', 'csv')).out).toMatch(/^actor,actions/);
});
`,
  );
  vitest('@financing-checkout/reconciliation', 'planted');
});

test('a column of a list that pages show, with a new field of its answer', () => {
  follow(['list field', 'Add a list'], 3, [
    {
      file: 'packages/contract/src/reconciliation/trail-operations.ts',
      after: 'deliverySchema.omit({ checkoutId: true }).extend({ ',
      text: 'isLate: z.boolean(), ',
    },
    {
      file: 'packages/contract/src/reconciliation/tables.ts',
      before: "      tries: 'count',\n",
      text: "      late: ['isLate', 'yesNo'],\n",
    },
    {
      file: 'packages/reconciliation/src/http/routes/actions.ts',
      before: '    tries,\n    createdAt',
      text: '    isLate: tries > 1,\n',
    },
  ]);
  copy.write(
    'packages/reconciliation/src/planted.test.ts',
    `${asksProgram}
test('the file has the column', async () => {
  const { run } = commandsOf(shared.program);
  expect((await run('cases', 'alerts', '--format', 'csv')).out).toMatch(/,state,late,tries,/);
});
`,
  );
  vitest('@financing-checkout/reconciliation', 'planted');
});

test('a filter of cases', () => {
  follow(['filter', 'Add a filter of orders, exceptions or cases'], 2, [
    {
      file: 'packages/contract/src/reconciliation/filters.ts',
      before: '  overdue: {',
      text: "  reason: { is: 'name', option: '<text>  only cases decided for this reason' },\n",
    },
    {
      file: 'packages/reconciliation/src/queries/cases/cases.ts',
      before: "    unassigned: 'assignee is null',\n",
      text: "    reason: `json_extract_string(body, '$.reason')`,\n",
    },
  ]);
  copy.write(
    'packages/reconciliation/src/planted.test.ts',
    `${asksProgram}
test('filters the list, its sums, its export and the command', async () => {
  const { program } = shared;
  await program.sync(shopDays());
  const { run } = commandsOf(program);
  const [one = ''] = (await run('cases', 'list')).out.match(/case_\\w+/) ?? [];
  await run('cases', 'ignore', one, 'rounding', '--by', 'ada');
  const query = 'state=ignored&reason=rounding';
  const { cases } = await program.get<{ cases: { id: string }[] }>(\`/cases?\${query}\`);
  expect(cases.map(({ id }) => id)).toEqual([one]);
  expect(await program.get(\`/cases/summary?\${query}\`)).toMatchObject({ count: 1 });
  expect((await run('cases', 'list', '--state', 'ignored', '--reason', 'other')).out).toBe('');
  const file = (await run('export', 'cases', '--reason', 'rounding')).out;
  expect(file.trim().split('\\n')).toHaveLength(2);
});
`,
  );
  vitest('@financing-checkout/reconciliation', 'planted');
});

test('a route with a command', () => {
  follow(['route', 'Add a route with a command'], 3, [
    {
      file: 'packages/contract/src/reconciliation/period-operations.ts',
      before: "  orders: read('/periods/:period/orders', {\n",
      text: `  days: read('/periods/:period/length', {
    summary: 'Number of days of a period',
    query: noQuery,
    answer: z.object({ days: z.int() }),
    problems: ['period-not-found'],
    verb: { name: 'periods length' },
  }),
`,
    },
    {
      file: 'packages/reconciliation/src/http/routes/periods.ts',
      before: '  serve(app, routes.preparation,',
      text: `  serve(app, routes.days, async (c) => {
    const { period } = await describePeriod(engine.periods(), c.req.param('period'));
    const [from, to] = [period.from, period.to].map((day) => Date.parse(day));
    return c.json({ days: ((to ?? 0) - (from ?? 0)) / 86_400_000 + 1 });
  });
`,
    },
    {
      file: 'packages/reconciliation/src/cli/periods.ts',
      before: '  addVerb(periods, adjustments, verbs);\n',
      text: `  addVerb(periods, periodOperations.days, verbs, {
    print: ({ days }) => shell.print(String(days)),
  });
`,
    },
  ]);
  copy.write(
    'packages/reconciliation/src/planted.test.ts',
    `import { expect, test } from 'vitest';
import { commandLine } from './cli/cli.fixture.ts';
import { openBooks } from './periods/periods.fixture.ts';

test('asks for the days of a period', async () => {
  const { program } = await openBooks();
  const token = { RECONCILIATION_TOKEN: 'anna-token-0000001' };
  const env = { RECONCILIATION_URL: 'http://127.0.0.1:4002', ...token };
  const { run } = commandLine(env, (input, init) =>
    Promise.resolve(program.app.request(input, init)),
  );
  expect((await run('periods', 'length', 'P1')).out).toMatch(/^\\d+$/);
});
`,
  );
  vitest('@financing-checkout/reconciliation', 'planted');
});
