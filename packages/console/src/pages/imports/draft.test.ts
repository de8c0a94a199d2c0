import { expect, it, vi } from 'vitest';
import type { LedgerPreview } from '@financing-checkout/contract/reconciliation';
import { Draft } from './draft.ts';

const preview: LedgerPreview = {
  format: 'csv',
  proposal: { delimiter: ',', encoding: 'utf-8', map: { order: 'order' } },
  questions: [],
  known: [],
  columns: ['order'],
  rows: [['A-1']],
  readings: [{ asks: [] }],
};
const file = new File(['order\nA-1\n'], 'ledger.csv', { type: 'application/vnd.ms-excel' });

async function opened(): Promise<Draft> {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(preview)));
  const draft = new Draft();
  await draft.open(file);
  expect(draft.preview).toEqual(preview);
  return draft;
}

it('sends the file once, however often the user presses the button', async () => {
  const draft = await opened();
  const sends = vi.spyOn(XMLHttpRequest.prototype, 'send').mockImplementation(() => undefined);
  void draft.import();
  await draft.import();
  await expect.poll(() => sends.mock.calls.length).toBe(1);
  await draft.check();
  expect(draft.work).toBe('importing');
  expect(sends).toHaveBeenCalledTimes(1);
  // The API refuses the media type that the browser assigns to the file.
  expect(sends.mock.calls[0]?.[0]).toMatchObject({ type: 'application/octet-stream' });
});

it('keeps the file and the options when the connection is lost, and reports the unknown outcome', async () => {
  const draft = await opened();
  draft.choose({ currency: 'EUR' });
  vi.spyOn(XMLHttpRequest.prototype, 'send').mockImplementation(function (this: XMLHttpRequest) {
    this.dispatchEvent(new ProgressEvent('error'));
  });
  await draft.import();
  expect(draft.error).toMatchObject({ code: 'offline' });
  expect(draft.isUncertain).toBe(true);
  expect(draft.file).toBe(file);
  expect(draft.options.currency).toBe('EUR');
  await draft.check();
  expect(draft.isUncertain).toBe(false);
});

it('sends only the start of a large file for its preview', async () => {
  const bodies: Blob[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
    bodies.push(init?.body as Blob);
    return Promise.resolve(Response.json(preview));
  });
  await new Draft().open(new File(['a'.repeat(1_000_000)], 'large.csv'));
  expect(bodies.map(({ size }) => size)).toEqual([256_000]);
});

it('sends the entire workbook, and sends it again for the chosen sheet', async () => {
  const workbook = new File([`PK\x03\x04xl/workbook.xml${'a'.repeat(500_000)}`], 'ledger.xls');
  const sent: [string, Blob][] = [];
  const addresses = new WeakMap<XMLHttpRequest, string>();
  const sheets = ['Summary', 'Lines'];
  vi.spyOn(XMLHttpRequest.prototype, 'open').mockImplementation(function (
    this: XMLHttpRequest,
    _: string,
    address: string | URL,
  ) {
    addresses.set(this, String(address));
  });
  vi.spyOn(XMLHttpRequest.prototype, 'setRequestHeader').mockImplementation(() => undefined);
  vi.spyOn(XMLHttpRequest.prototype, 'send').mockImplementation(function (
    this: XMLHttpRequest,
    body,
  ) {
    const address = addresses.get(this) ?? '';
    sent.push([address, body as Blob]);
    const found = decodeURIComponent(address).includes('"sheet":"Lines"')
      ? { ...preview, sheets, proposal: { ...preview.proposal, sheet: 'Lines' } }
      : { ...preview, columns: [], rows: [], proposal: {}, sheets };
    Object.defineProperty(this, 'status', { value: 200 });
    Object.defineProperty(this, 'responseText', { value: JSON.stringify(found) });
    this.dispatchEvent(new ProgressEvent('load'));
  });
  const draft = new Draft();
  await draft.open(workbook);
  expect(draft).toMatchObject({ isWorkbook: true, otherKind: undefined, preview: { sheets } });
  expect(draft.options.sheet).toBeUndefined();
  draft.useSheet('Lines');
  await expect.poll(() => draft.preview?.columns).toEqual(['order']);
  expect(draft.options).toMatchObject({ sheet: 'Lines', map: { order: 'order' } });
  expect(sent.map(([address]) => decodeURIComponent(address))).toEqual([
    '/ledger/preview/workbook?options={}',
    '/ledger/preview/workbook?options={"sheet":"Lines"}',
  ]);
  expect(sent.map(([, { size }]) => size)).toEqual([workbook.size, workbook.size]);
  expect(sent[0]?.[1].type).toMatch(/spreadsheetml\.sheet$/);
});

it('takes the options that the file proposes, and those of the next preview in their place', async () => {
  const answers = [
    { ...preview, proposal: { ...preview.proposal, units: 'major', dates: 'dmy' } },
    { ...preview, proposal: { delimiter: ';', map: { order: 'Beleg' } } },
  ];
  const asked: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    asked.push(decodeURIComponent(address as string));
    return Promise.resolve(Response.json(answers[asked.length - 1]));
  });
  const draft = new Draft();
  await draft.open(file);
  expect(draft.options).toMatchObject({ units: 'major', dates: 'dmy', map: { order: 'order' } });
  draft.choose({ delimiter: ';', currency: 'EUR' });
  await draft.readBeginning();
  expect(asked[1]).toBe('/ledger/preview?options={"delimiter":";","encoding":"utf-8"}');
  expect(draft.options).toMatchObject({ delimiter: ';', map: { order: 'Beleg' }, currency: 'EUR' });
  expect(draft.options.dates).toBeUndefined();
});

it('reads the file without the preset that the person refuses', async () => {
  const draft = await opened();
  const fetched = vi.mocked(globalThis.fetch);
  draft.usePreset('');
  await expect.poll(() => draft.work).toBeUndefined();
  const [address] = fetched.mock.lastCall ?? [];
  expect(decodeURIComponent(address as string)).toContain('"preset":""');
});

it('rejects an empty file without a request', async () => {
  const requests = vi.spyOn(globalThis, 'fetch');
  const draft = new Draft();
  await draft.open(new File([], 'ledger.csv'));
  expect(draft.problem).toBe('empty');
  expect(requests).not.toHaveBeenCalled();
});

it.each([
  ['document', new File(['%PDF-1.7'], 'ledger.csv')],
  ['html', new File(['<html><table>'], 'ledger.xls')],
  ['mt940', new File([':20:STARTUMS'], 'statement.txt')],
])('detects %s by its content, and sends no request', async (kind, wrong) => {
  const requests = vi.spyOn(globalThis, 'fetch');
  const draft = new Draft();
  await draft.open(wrong);
  expect(draft.otherKind).toBe(kind);
  expect(draft.file).toBeUndefined();
  expect(requests).not.toHaveBeenCalled();
});

it('reads a CSV whose name ends in .xls', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(preview)));
  const draft = new Draft();
  await draft.open(new File(['order,amount'], 'ledger.xls'));
  expect(draft.otherKind).toBeUndefined();
  expect(draft.preview).toEqual(preview);
});
