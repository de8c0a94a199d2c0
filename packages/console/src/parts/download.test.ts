import { afterEach, expect, it, vi } from 'vitest';
import { setLanguage } from '../locale/locale.ts';
import { saveCsv } from './download.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await setLanguage('en');
});

it('saves rows as UTF-8 with a byte order mark and CRLF, without formulas', async () => {
  let saved: Blob | undefined;
  const names: string[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved = blob as Blob;
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  saveCsv('walk.csv', [
    ['Step', 'Größe'],
    ['=cmd', -5],
    ['Lender;=HYPERLINK(1)', '-12.50'],
    ['＝1', '|x'],
  ]);
  expect(names).toEqual(['walk.csv']);
  const bytes = new Uint8Array((await saved?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes.slice(3))).toBe(
    `Step,Größe\r\n"'=cmd",-5\r\n"Lender;'=HYPERLINK(1)",-12.50\r\n"'＝1","'|x"\r\n`,
  );
});

it('writes CSV as a spreadsheet of the language reads it', async () => {
  await setLanguage('de');
  let saved: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved = blob as Blob;
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  saveCsv('walk.csv', [['EUR', '-12.50']]);
  expect(await saved?.text()).toBe('EUR;-12,50\r\n');
});
