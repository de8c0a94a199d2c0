import * as ticket from '@financing-checkout/ticket';
import { expect, test } from 'vitest';
import * as earlier from './ticket.ts';

test('the earlier path of the order ticket has all that the package has', () => {
  expect({ ...earlier }).toEqual({ ...ticket });
  expect(Object.keys(earlier)).toContain('signOrderTicket');
});
