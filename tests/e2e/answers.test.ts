/* Compares the sandbox's answers during a purchase with the published contract. */
import { expect, test } from 'vitest';
import { checkedAnswers, expectAllPublished } from './answers.ts';
import { useShopper, shopper, stack } from './running.ts';

useShopper();

async function askBackOffice(path: string, body?: object): Promise<Response> {
  return fetch(`${stack.backOffice}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${stack.secrets.backOfficeToken}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

test('every answer matches the published contract, for purchase, refund, funding and an abandoned checkout', async () => {
  await shopper.goToPayment();
  const order = await shopper.orderNumber();
  await shopper.openFinancing();
  await shopper.apply();
  await shopper.takeOffer();
  await shopper.untilPaid();

  const list = await askBackOffice(`/charges?merchantOrderId=${order}`);
  expect(list.status).toBe(200);
  const { charges } = (await list.json()) as { charges: { id: string }[] };
  const refund = await askBackOffice(`/charges/${charges[0]?.id ?? ''}/refunds`, { amount: 100 });
  expect(refund.status).toBeLessThan(300);
  expect((await askBackOffice('/fundings/report?showMissing=true')).status).toBe(200);

  await shopper.goToPayment();
  await shopper.openFinancing();
  await shopper.page.reload();

  const operations = () =>
    new Set(checkedAnswers(stack.answersFile).map(({ operation }) => operation));
  await expect
    .poll(() => [...operations()].sort())
    .toEqual(
      expect.arrayContaining([
        ...['application.status', 'charges.create', 'charges.get', 'charges.refund'],
        ...['checkout.prime', 'fundings.report', 'orders.get'],
      ]),
    );
  expectAllPublished(stack.answersFile);
});

test('control: the check fails without an answer', () => {
  expect(() => expectAllPublished(`${stack.answersFile}.none`)).toThrow(/No answer/);
});
