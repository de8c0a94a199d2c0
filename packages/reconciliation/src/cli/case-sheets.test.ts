import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { commandLine, commandsOf } from './cli.fixture.ts';
import type { Shell } from './shell.ts';

const shared = shareProgram((atEnd) => startShop(1, atEnd));
const URL = 'http://127.0.0.1:4002';

/** Returns the rows of the export of cases, starting with the header row. The shop has one case. */
async function exported(): Promise<string[][]> {
  const { run } = commandsOf(shared.program);
  const { from, to } = shopDays();
  await run('sync', '--from', from, '--to', to);
  const { out } = await run('export', 'cases', '--format', 'csv');
  return out
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
}

/** Writes the export with edited cells. @param more edits of further rows */
async function edited(...edits: Record<string, string>[]): Promise<string> {
  const [head = [], cells = []] = await exported();
  const rows = edits.map((edit) => head.map((name, at) => edit[name] ?? cells[at] ?? ''));
  const file = join(temporaryFolder(), 'cases.csv');
  writeFileSync(file, [head, ...rows].map((row) => `${row.join(',')}\r\n`).join(''));
  return file;
}

/** Answers the prompts of a terminal. */
function terminal(...answers: (string | undefined)[]) {
  const asked: string[] = [];
  const prompt: Shell['prompt'] = (question) => {
    asked.push(question);
    return Promise.resolve(answers.shift());
  };
  return { asked, ...commandsOf(shared.program, prompt) };
}

async function cellOf(column: string): Promise<string | undefined> {
  const [head = [], cells = []] = await exported();
  return cells[head.indexOf(column)];
}
const by = ['--by', 'Ines'];

it('shows the differences of an edited export at a terminal, and applies them after confirmation', async () => {
  const file = await edited({ assignee: 'Ines', note: 'asked the lender' });
  const { asked, run } = terminal('perhaps', 'yes');
  const ended = await run('cases', 'upload', file, ...by);
  expect([ended.code, ended.err]).toEqual([0, '']);
  expect(ended.out).toMatch(/LINE +ORDER +EXCEPTION +COLUMN +BEFORE +AFTER/);
  expect(ended.out).toMatch(/^ +2 +A-1 .* assignee +Ines$/m);
  expect(ended.out).toMatch(/^ +2 +A-1 .* note +asked the lender$/m);
  expect(ended.out).toContain('Applied 2 differences of 1 case.');
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain('Apply 2 differences of 1 case?');
  expect(await cellOf('assignee')).toBe('Ines');
  const id = (await cellOf('case')) ?? '';
  const trail = await run('cases', 'show', id);
  expect(trail.out).toMatch(/noted +.*Ines.*note "asked the lender"/);
  // Uploading the same sheet again changes nothing.
  const again = await run('cases', 'upload', file, ...by);
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('Nothing to apply: all differences are applied already.');
  expect(asked).toHaveLength(2);
});

it.each([
  ['a no', 'no'],
  ['an empty line', ''],
  ['Ctrl-C or the end of the input', undefined],
])('applies nothing after %s', async (_, answer) => {
  const file = await edited({ note: 'not this one' });
  const ended = await terminal(answer).run('cases', 'upload', file, ...by);
  expect([ended.code, ended.err]).toEqual([1, 'The cases are unchanged.']);
  const trail = await terminal().run('cases', 'show', (await cellOf('case')) ?? '');
  expect(trail.out).not.toContain('not this one');
});

it('requires --yes without a terminal and with JSON output', async () => {
  const file = await edited({ note: 'by cron' });
  const { run } = commandsOf(shared.program);
  const refused = await run('cases', 'upload', file, ...by);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('--yes');
  expect(refused.out).toContain('by cron');
  const { asked, ...person } = terminal('yes');
  const json = await person.run('cases', 'upload', file, ...by, '--json');
  expect([json.code, asked]).toEqual([1, []]);
  expect(json.err).toContain('--yes');
  expect(JSON.parse(json.out)).toMatchObject({ applied: false, differences: [{ field: 'note' }] });
  const done = await run('cases', 'upload', file, ...by, '--yes', '--json');
  expect([done.code, done.err]).toEqual([0, '']);
  expect(JSON.parse(done.out)).toMatchObject({ applied: true, differences: [{ applied: true }] });
});

it('applies nothing from a sheet with refused rows, and the other rows with --skip-refused', async () => {
  const file = await edited({ note: 'kept apart' }, { case: 'case_none', note: 'lost' });
  const { asked, run } = terminal('yes');
  const refused = await run('cases', 'upload', file, ...by, '--yes');
  expect([refused.code, asked]).toEqual([1, []]);
  expect(refused.out).toMatch(/^ +3 .*case +names no case of this record store/m);
  expect(refused.err).toBe(
    '1 row is refused, and nothing was applied: correct it, or apply the others with --skip-refused.',
  );
  const applied = await run('cases', 'upload', file, ...by, '--skip-refused');
  expect([applied.code, applied.err]).toEqual([0, '']);
  expect(applied.out).toContain('Applied 1 difference of 1 case; 1 row is refused.');
  expect(asked).toHaveLength(1);
});

it('assigns cases to a new person with --new-persons', async () => {
  const file = await edited({ assignee: 'Tomas' });
  const { run } = commandsOf(shared.program);
  const refused = await run('cases', 'upload', file, ...by, '--yes');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--new-persons')]);
  const done = await run('cases', 'upload', file, ...by, '--yes', '--new-persons');
  expect([done.code, await cellOf('assignee')]).toEqual([0, 'Tomas']);
});

it('reports an export without edits, and the error in another file', async () => {
  const { run } = commandsOf(shared.program);
  const file = join(temporaryFolder(), 'cases.csv');
  await run('export', 'cases', '--state', 'open', '--bom', '--output', file);
  for (const more of [[], ['--delimiter', ',']]) {
    const unchanged = await run('cases', 'upload', file, ...by, ...more);
    expect([unchanged.code, unchanged.out]).toEqual([0, 'Nothing to apply: no cell is edited.']);
  }
  writeFileSync(file, 'order,amount\r\nA-1,5\r\n');
  const other = await run('cases', 'upload', file, ...by);
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('"revision"')]);
  const none = await run('cases', 'upload', `${file}.none`, ...by);
  expect([none.code, none.err]).toEqual([1, 'The file does not exist.']);
});

it.each([
  ['the comparison', 0, 'nothing was applied'],
  ['the request that applies', 1, 'differences that were applied are recognized'],
])('explains the state after the connection is lost during %s', async (_, answered, text) => {
  const file = await edited({ note: `cut ${answered}` });
  let sent = 0;
  const fetch: Shell['fetch'] = async (input, init) => {
    if (input.includes('/cases/sheet') && sent++ === answered) {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
      });
    }
    return shared.program.app.request(input, init);
  };
  const { run } = commandLine({ RECONCILIATION_URL: URL }, fetch);
  const ended = await run('cases', 'upload', file, ...by, '--yes');
  expect([ended.code, ended.err]).toEqual([69, expect.stringContaining(text)]);
  expect(ended.err).toContain('ECONNRESET');
  expect(ended.err).not.toContain('import');
  expect((await run('cases', 'upload', file, ...by, '--yes')).code).toBe(0);
});

it('refuses a row whose order was edited, and says to import a corrected file', async () => {
  const file = await edited({ order: 'A-11' });
  const refused = await terminal().run('cases', 'upload', file, ...by, '--yes');
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/^ +2 +A-1 +order +has "A-11" .* import a corrected file/m);
});
