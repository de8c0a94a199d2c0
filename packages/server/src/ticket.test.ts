import * as ticket from '@financing-checkout/ticket';
import { expect, test } from 'vitest';
import * as earlier from './ticket.ts';

test('the former path of the order ticket exports everything that the package exports', () => {
  expect({ ...earlier }).toEqual({ ...ticket });
  expect(Object.keys(earlier)).toContain('signOrderTicket');
});
