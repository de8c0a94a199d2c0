import { expect, test } from 'vitest';
import { reasonOf } from './exit.ts';

test('names a file that another program has open, and what to do', () => {
  const error = Object.assign(new Error('EBUSY: resource busy or locked, rename'), {
    code: 'EBUSY',
    path: '/books/.file.partial',
    dest: '/books/cases.xlsx',
  });
  expect(reasonOf(error)).toBe(
    '/books/cases.xlsx is open in another program (EBUSY). Close it there, such as a workbook in Excel, and repeat this, or choose another name.',
  );
});

test('returns the message of other errors, with their cause', () => {
  const error = new Error('The store cannot be opened.', { cause: new Error('No such host.') });
  expect(reasonOf(error)).toBe('The store cannot be opened. No such host.');
});
