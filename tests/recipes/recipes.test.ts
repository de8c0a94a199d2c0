/* `npm run test:recipes`: follows recipes of CONTRIBUTING.md in a copy of the working tree. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { Copy, filesOfRecipe, type Insertion } from './copy.ts';

let copy: Copy;
afterEach(() => copy.remove());

/**
 * Applies the changes in a new copy. Fails if they touch more than `most` files, or a file that the
 * recipe does not name.
 */
function follow(recipe: string, most: number, insertions: readonly Insertion[]): void {
  copy = new Copy();
  const changed = [...new Set(insertions.map(({ file }) => file))];
  expect(changed.length).toBeLessThanOrEqual(most);
  expect(filesOfRecipe(recipe)).toEqual(expect.arrayContaining(changed));
  for (const insertion of insertions) copy.insert(insertion);
  copy.node('scripts/compile.ts');
}

const vitest = (project: string, ...filters: string[]) =>
  copy.run('vitest', ['run', '--project', project, ...filters]);

test('an exception needs five files', () => {
  follow('Add an exception', 6, [
    {
      file: 'packages/contract/src/exceptions.ts',
      before: '  DUPLICATE_FUNDING: {',
      text: `  CLAWBACK: {
    since: 'posted',
    caseDays: 3,
    en: {
      name: 'Clawback',
      meaning: 'A lender took money back as a clawback.',
      happened: ({ size }) => \`A lender took \${size} back as a clawback.\`,
      todo: 'Ask the lender what it is for.',
    },
    de: {
      name: 'Rückholung',
      meaning: 'Ein Kreditgeber hat Geld zurückgeholt.',
      happened: ({ size }) => \`Ein Kreditgeber hat \${size} zurückgeholt.\`,
      todo: 'Fragen Sie den Kreditgeber, wofür der Betrag ist.',
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

test('an import option needs four files', () => {
  const imports = 'packages/reconciliation/src/imports/read';
  follow('Add an import option', 5, [
    {
      file: 'packages/contract/src/ledger-options.ts',
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

test('a column of an export needs two files', () => {
  follow('Add a column to an export', 3, [
    {
      file: 'packages/reconciliation/src/queries/export-tables.ts',
      after: "        moment('since'),\n        assumed,\n",
      text: "        word('is_old', `case when r.since < ${now - 86_400_000} then 'yes' else 'no' end`),\n",
    },
  ]);
  vitest('@financing-checkout/reconciliation', 'exports', 'csv-sql', 'sheet');
});

test('a language of the elements needs one file and its line in the list', () => {
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
  copy.node('scripts/compile.ts');
  const project = ['run', '--project', '*widget (node)'];
  copy.run('vitest', [...project, 'texts', 'readme'], { UPDATE_DOCS: '1' });
  copy.run('vitest', [...project, 'texts', 'readme']);
});

test('a language of the console needs one file and its line in the list', () => {
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
  copy.node('scripts/compile.ts');
  vitest('@financing-checkout/console (chromium)', 'locale');
});

test('a lender’s quirk needs three files', () => {
  follow('Add a quirk of a lender to the sandbox', 5, [
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
