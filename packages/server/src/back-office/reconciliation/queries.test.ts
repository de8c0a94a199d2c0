import { expect, test } from 'vitest';
import { reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';

test.each([
  '/walk?lender=Meadow+Credit&lender=Harbor+Bank',
  '/exceptions?currency=USD&currency=JPY',
  '/exports/orders?currency=USD&currency=JPY',
  '/cases?state=open&state=resolved',
])('a parameter that is given twice is refused: %s', async (path) => {
  const companion = await reconciledCompanion();
  const { status, body } = await companion.office(`/reconciliation${path}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid-request' });
  expect(body).toHaveProperty('errors.0.path', expect.stringMatching(/lender|currency|state/));
});
