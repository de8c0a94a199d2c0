import type { CaseSheet } from '@financing-checkout/contract/reconciliation';
import { expect, it, vi } from 'vitest';
import { setLanguage } from '../../locale/locale.ts';
import './sheet.ts';

const ofCase = {
  caseId: 'case_1',
  orderKey: 'order:A-1',
  merchantOrderId: 'A-1',
  currency: 'USD',
  code: 'DUPLICATE_FUNDING',
} as const;
const compared: CaseSheet = {
  digest: 'd1',
  rows: 4,
  unchanged: 2,
  applied: false,
  differences: [
    {
      ...ofCase,
      line: 2,
      field: 'state',
      before: 'open',
      after: 'ignored',
      reason: 'rounding',
      events: ['ignored'],
      applied: false,
    },
    {
      ...ofCase,
      line: 2,
      field: 'note',
      before: '',
      after: 'seen',
      events: ['noted'],
      applied: false,
    },
  ],
  refusals: [
    {
      ...ofCase,
      line: 7,
      refusal: 'person-unknown',
      column: 'assignee',
      message: 'assigns the case to "Tomas", who has no token and no case',
    },
  ],
};
const changed = {
  ...ofCase,
  line: 2,
  refusal: 'case-changed',
  by: 'ben',
  kind: 'ignored',
  at: '2026-03-01T10:00:00Z',
  message: 'has edits of a case that was changed after the export',
} as const;
const done: CaseSheet = {
  ...compared,
  applied: true,
  differences: compared.differences.map((one) => ({ ...one, applied: true })),
};

/** Renders the element with the given responses to its requests. */
function opened(...answers: (CaseSheet | { status: number; body: object } | Error)[]) {
  const sent: { url: string; body: BodyInit | null | undefined }[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    sent.push({ url: input as string, body: init?.body });
    const answer = answers.shift();
    if (answer instanceof Error || answer === undefined) return Promise.reject(answer ?? Error());
    const { status, body } = 'digest' in answer ? { status: 200, body: answer } : answer;
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  const part = document.createElement('cases-sheet');
  document.body.append(part);
  return { part, sent };
}

const text = (element: Element | null) => element?.textContent.replaceAll(/\s+/g, ' ').trim();
const button = (part: Element, name: string) =>
  [...part.querySelectorAll('wa-button')].find((one) => text(one)?.startsWith(name));
const rowsOf = (part: Element) =>
  [...part.querySelectorAll('tbody tr:not(.gap)')].map((row) =>
    [...row.querySelectorAll('td')].map(text),
  );

/** Chooses an edited file. */
async function choose(part: HTMLElement, content = 'case,revision', name = 'cases.csv') {
  await expect.poll(() => part.querySelector('input[type=file]')).not.toBeNull();
  const input = part.querySelector<HTMLInputElement>('input[type=file]');
  if (input === null) throw new Error('There is no input for a file.');
  const files = new DataTransfer();
  files.items.add(new File([content], name));
  input.files = files.files;
  input.dispatchEvent(new Event('change'));
  await expect.poll(() => part.querySelector('dialog')?.open).toBe(true);
}
const settled = (part: Element) => expect.poll(() => part.querySelector('.loading')).toBeNull();

it('shows the differences and refused rows of a file, and applies exactly those differences', async () => {
  const { part, sent } = opened(compared, done);
  let changes = 0;
  part.addEventListener('changed', () => (changes += 1));
  await choose(part);
  await expect.poll(() => rowsOf(part)).toHaveLength(3);
  expect(rowsOf(part)).toEqual([
    ['7', 'A-1', 'assignee', 'The row assigns the case to "Tomas", who has no token and no case.'],
    ['2', 'A-1', 'Funded twice', 'State', 'Open', 'Ignored rounding'],
    ['2', 'A-1', 'Funded twice', 'Note', '', 'seen'],
  ]);
  expect([...part.querySelectorAll('dd')].map(text)).toEqual(['4', '2', '2', '1']);
  expect(sent.map(({ url }) => url)).toEqual(['/cases/sheet']);
  expect(changes).toBe(0);
  expect(text(part)).toContain('1 row is refused and left out');
  button(part, 'Apply 2 differences')?.click();
  await expect
    .poll(() => text(part.querySelector('.good')))
    .toBe('2 differences of 1 case applied');
  expect(sent[1]?.url).toBe('/cases/sheet?digest=d1');
  expect(await new Response(sent[1]?.body).text()).toBe('case,revision');
  expect(changes).toBe(1);
  expect(button(part, 'Apply')).toBeUndefined();
  button(part, 'Close')?.click();
  await expect.poll(() => part.querySelector('dialog')).toBeNull();
});

it('shows the rows that other users changed after the comparison', async () => {
  const [, note] = done.differences;
  if (note === undefined) return;
  const late = { ...done, differences: [note], refusals: [changed] };
  const { part } = opened({ ...compared, refusals: [] }, late);
  await choose(part);
  await expect.poll(() => button(part, 'Apply 2 differences')).toBeDefined();
  button(part, 'Apply 2 differences')?.click();
  await expect.poll(() => text(part.querySelector('.good'))).toBe('1 difference of 1 case applied');
  expect(rowsOf(part)[0]?.[3]).toMatch(/changed after the export\. ben ignored the case, .*2026/);
});

it('compares again once new assignees are permitted', async () => {
  const { part, sent } = opened(compared, { ...compared, digest: 'd2', refusals: [] }, done);
  await choose(part);
  await expect.poll(() => part.querySelector('input[type=checkbox]')).not.toBeNull();
  part.querySelector<HTMLInputElement>('input[type=checkbox]')?.click();
  await expect.poll(() => button(part, 'Apply 2 differences')).toBeDefined();
  await settled(part);
  expect(text(part)).not.toContain('refused');
  expect(part.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked).toBe(true);
  button(part, 'Apply 2 differences')?.click();
  await expect
    .poll(() => sent.map(({ url }) => url))
    .toEqual([
      '/cases/sheet',
      '/cases/sheet?newPersons=true',
      '/cases/sheet?newPersons=true&digest=d2',
    ]);
});

it('keeps the differences after a lost connection, and compares again after a sheet change', async () => {
  const conflict = { status: 409, body: { code: 'case-sheet-changed', detail: 'It changed.' } };
  const { part, sent } = opened(compared, new TypeError('lost'), conflict, compared);
  await choose(part);
  await expect.poll(() => button(part, 'Apply 2')).toBeDefined();
  button(part, 'Apply 2')?.click();
  await expect
    .poll(() => text(part.querySelector('dialog [role=alert]')))
    .toMatch(/reach|connect/i);
  button(part, 'Apply 2')?.click();
  await expect.poll(() => text(part.querySelector('dialog [role=alert]'))).toBe('It changed.');
  expect(rowsOf(part)).toEqual([]);
  button(part, 'Compare again')?.click();
  await expect.poll(() => rowsOf(part)).toHaveLength(3);
  expect(sent[3]?.url).toBe('/cases/sheet');
});

it('asks which sheet to use if a workbook has several', async () => {
  const several = { status: 400, body: { code: 'invalid-request', detail: 'Name the sheet.' } };
  const { part, sent } = opened(several, compared);
  await choose(part, 'x', 'cases.xlsx');
  await expect.poll(() => text(part.querySelector('dialog [role=alert]'))).toBe('Name the sheet.');
  const field = part.querySelector<HTMLInputElement>('input[name=sheet]');
  if (field === null) throw new Error('There is no field for the sheet.');
  field.value = 'Cases';
  button(part, 'Compare again')?.click();
  await expect.poll(() => rowsOf(part)).toHaveLength(3);
  expect(sent[1]?.url).toBe('/cases/sheet?sheet=Cases');
});

it('ignores the response for a file whose dialog was closed', async () => {
  const { part } = opened();
  const signals: (AbortSignal | null | undefined)[] = [];
  vi.mocked(globalThis.fetch).mockImplementationOnce((_input, init) => {
    signals.push(init?.signal);
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
  });
  vi.mocked(globalThis.fetch).mockImplementationOnce(() =>
    Promise.resolve(new Response(JSON.stringify(compared))),
  );
  await choose(part);
  await expect.poll(() => signals).toHaveLength(1);
  button(part, 'Close')?.click();
  await expect.poll(() => part.querySelector('dialog')).toBeNull();
  expect(signals[0]?.aborted).toBe(true);
  await choose(part, 'other', 'other.csv');
  await expect.poll(() => rowsOf(part)).toHaveLength(3);
  expect(text(part.querySelector('.file-name'))).toBe('other.csv');
});

it('reports that there is nothing to apply', async () => {
  const { part } = opened({ ...compared, unchanged: 4, differences: [], refusals: [] });
  await choose(part);
  await expect.poll(() => text(part)).toContain('No cell is edited');
  expect(button(part, 'Apply')).toBeUndefined();
});

it('shows German texts', async () => {
  await setLanguage('de');
  const { part } = opened(compared, done);
  await choose(part);
  await expect.poll(() => rowsOf(part)).toHaveLength(3);
  const [refused] = rowsOf(part);
  expect(refused?.[3]).toContain('Diese Person ist unbekannt');
  expect(part.querySelector('[lang=en]')?.textContent).toContain('"Tomas"');
  expect(text(part)).toContain('1 abgelehnte Zeile wird ausgelassen');
  button(part, '2 Unterschiede anwenden')?.click();
  await expect
    .poll(() => text(part.querySelector('.good')))
    .toBe('2 Unterschiede an 1 Fall angewendet');
});
