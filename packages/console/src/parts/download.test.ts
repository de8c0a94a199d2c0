import { afterEach, expect, it, vi } from 'vitest';
import { csvCell, saveCsv } from './download.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['plain', 'plain'],
  [945.63, '945.63'],
  [-12, '-12'],
  // A negative amount as text stays a number for the spreadsheet.
  ['-12.50', '-12.50'],
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-1+cmd', "'-1+cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
])('writes %j as the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

it('saves rows as UTF-8 with a byte order mark and CRLF, under the given name', async () => {
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
  ]);
  expect(names).toEqual(['walk.csv']);
  const bytes = new Uint8Array((await saved?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes.slice(3))).toBe("Step,Größe\r\n'=cmd,-5\r\n");
});
