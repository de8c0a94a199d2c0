import { chargesOf } from '../charge-story.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { writing, type Rule } from '../rule.ts';
import {
  describe,
  isObject,
  isSuccess,
  jsonOf,
  oncePerSubject,
  uniqueId,
  type Subject,
} from '../subject.ts';
import type { Exchange } from '../wire.ts';

const accountsPath = '/v2/accounts';

/** Rules of the published contract about account tokens. Source: reference, Charge API. */
export const accountRules: readonly Rule[] = [
  writing(
    'accounts.charge',
    'An account of a line of credit takes several charges, each id of a merchant once',
    severalCharges,
  ),
];

const order = {
  channel: 'E_COMMERCE',
  cartDetails: { items: [{ price: 10, quantity: 1 }], totalAmount: 10 },
};

/** The requests for one account, each sent once for all rules. */
const accountStory = oncePerSubject(async (subject: Subject) => {
  const accountToken = await accountTokenOf(subject);
  const path = `${accountsPath}/${encodeURIComponent(accountToken)}`;
  const [first, second] = [uniqueId(), uniqueId()];
  const charge = (merchantTransactionId: string) =>
    subject.sendJson('POST', `${accountsPath}/charge`, {
      accountToken,
      checkoutDetails: order,
      merchantDetails: { merchantTransactionId },
    });
  return {
    first: await charge(first),
    second: await charge(second),
    repeated: await charge(first),
    confirmation: await subject.sendJson('POST', `${accountsPath}/confirmation`, {
      accountToken,
      ...order,
    }),
    account: await subject.get(path),
    credit: await subject.get(`${path}/credit`),
  };
});

/** @throws {NotCheckable} when no charge of the run is on a line of credit */
async function accountTokenOf(subject: Subject): Promise<string> {
  for (const { answer } of await chargesOf(subject)) {
    const body = jsonOf(answer);
    const applicationId = isObject(body) ? body.applicationId : undefined;
    if (typeof applicationId !== 'string') continue;
    const path = `/v2/checkout/applications/${encodeURIComponent(applicationId)}/status`;
    const status = jsonOf(await subject.get(path));
    const token = isObject(status) ? status.accountToken : undefined;
    if (typeof token === 'string' && token !== '') return token;
  }
  throw new NotCheckable('No charge of this run has an accountToken: confirm a line of credit.');
}

async function severalCharges(subject: Subject): Promise<Finding> {
  const { first, second, repeated } = await accountStory(subject);
  const [one, two, again] = [first, second, repeated].map(chargeIdOf);
  if (one === undefined || two === undefined) {
    return fail(`The first charge has ${describe(first)}, the second ${describe(second)}.`);
  }
  if (one === two) return fail('Two ids of a merchant lead to one charge.');
  return again === one
    ? pass('Two charges, and the repeated id answers the first.')
    : fail(`The repeated id has ${describe(repeated)} and another charge.`);
}

function chargeIdOf(exchange: Exchange): string | undefined {
  const body = isSuccess(exchange) ? jsonOf(exchange) : undefined;
  return isObject(body) && typeof body.id === 'string' ? body.id : undefined;
}

/** Sends each request for an unknown account, and runs the scenario for a known one. */
export async function probeAccounts(subject: Subject): Promise<void> {
  const accountToken = uniqueId();
  await subject.get(`${accountsPath}/${accountToken}`);
  await subject.get(`${accountsPath}/${accountToken}/credit`);
  if (!subject.options.mayWrite) return;
  const checkoutDetails = order;
  await subject.sendJson('POST', `${accountsPath}/charge`, { accountToken, checkoutDetails });
  await subject.sendJson('POST', `${accountsPath}/confirmation`, { accountToken, ...order });
  await accountStory(subject);
}
