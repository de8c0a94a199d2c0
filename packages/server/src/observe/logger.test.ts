import { expect, test } from 'vitest';
import { describeError, listedFields } from './logger.ts';

const SECRET = 'ada.quill@example.com';

test('of an unexpected error its class, code and place are told; its message may hold input', () => {
  const error = Object.assign(new RangeError(SECRET), { code: 'EXAMPLE', detail: SECRET });
  const told = describeError(error);
  expect(told).toMatchObject({ errorName: 'RangeError', code: 'EXAMPLE' });
  expect(told.frames?.[0]).toContain('logger.test.ts');
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(describeError(SECRET)).toEqual({ errorName: 'string' });
});

test('what is not listed is not written', () => {
  const fields = { requestId: 'req_1', email: SECRET, status: undefined };
  expect(listedFields(fields)).toEqual({ requestId: 'req_1' });
  expect(JSON.stringify(listedFields(fields))).not.toContain(SECRET);
});
