import { chargeAt, chargesOf, chargesPath, chargeStory } from '../charge-story.ts';
import { fundingsOf } from '../fundings.ts';
import { fail, NotCheckable, NotRun, pass, type Finding } from '../finding.ts';
import { type Rule } from '../rule.ts';
import { isObject, jsonOf, uniqueId, type Subject } from '../subject.ts';
import { publishedOperations, type PublishedOperation } from '../../published/operations.ts';
import { probeAccounts } from './accounts.ts';
import { primeRequest } from './endpoints.ts';
import { probeLink, probeLinks } from './links.ts';

/** Sends the requests that elicit the responses of an operation, as far as the options allow. */
type Probe = (subject: Subject) => Promise<unknown>;

const unknownCharge = () => `${chargesPath}/${uniqueId()}`;

/** Runs the sale if there is a token for it; the charge rules report rejections. */
const playStory: Probe = (subject) => leniently(() => chargeStory(subject));

const probeAccount: Probe = (subject) => leniently(() => probeAccounts(subject));

async function leniently(step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof NotRun || error instanceof NotCheckable)) throw error;
  }
}

/** Returns an id from the service's own records, for a read-only run. */
async function namedIn(subject: Subject, field: string): Promise<string | undefined> {
  const { readings } = await fundingsOf(subject);
  const body = readings.get('report true')?.body;
  const records: unknown[] = isObject(body) && Array.isArray(body.records) ? body.records : [];
  for (const record of records) {
    const value = isObject(record) ? record[field] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Looks up an id from a record, and an unknown id. */
function readBy(field: string, path: (id: string) => string): Probe {
  return async (subject) => {
    const known = await namedIn(subject, field);
    if (known !== undefined) await subject.get(path(encodeURIComponent(known)));
    await subject.get(path(uniqueId()));
  };
}

async function primedApplication(subject: Subject): Promise<string | undefined> {
  const body = jsonOf(await subject.post('/v1/checkout/prime', primeRequest(subject)));
  const id = isObject(body) ? body.applicationId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Looks up an unknown application and, if the run may write, a new session's application. */
function readApplication(what: string): Probe {
  const path = (id: string) => `/v2/checkout/applications/${encodeURIComponent(id)}/${what}`;
  return async (subject) => {
    await subject.get(path(uniqueId()));
    if (!subject.options.mayWrite) return;
    const id = await primedApplication(subject);
    if (id !== undefined) await subject.get(path(id));
  };
}

const refusedOnUnknown =
  (rest: string, body: object): Probe =>
  (subject) =>
    subject.sendJson('POST', `${unknownCharge()}${rest}`, body);

const probes: Readonly<Record<string, Probe>> = {
  'checkout.prime': (subject) => subject.post('/v1/checkout/prime', primeRequest(subject)),
  'session.create': async (subject) => {
    await subject.post('/v3/session', primeRequest(subject));
    await subject.sendJson('POST', '/v3/session', { cartDetails: 'conformance' });
  },
  'application.status': readApplication('status'),
  'application.token': readApplication('token'),
  'links.checkout': (subject) => probeLinks(subject, 'checkout'),
  'links.application': (subject) => probeLinks(subject, 'application'),
  'links.get': probeLink,
  'charges.create': async (subject) => {
    await subject.sendJson('POST', chargesPath, { confirmationToken: uniqueId() });
    await subject.sendJson('POST', chargesPath, {});
    await leniently(() => chargesOf(subject));
  },
  'charges.get': readBy('chargeId', (id) => `${chargesPath}/${id}`),
  'charges.patch': async (subject) => {
    await subject.sendJson('PATCH', unknownCharge(), { merchantOrderId: uniqueId() });
    await playStory(subject);
  },
  'charges.settle': playStory,
  'charges.refund': playStory,
  'charges.void': refusedOnUnknown('/voids', {}),
  'charges.void-async': async (subject) => {
    const path = `${chargesPath}/voids/async`;
    await leniently(async () => {
      const { confirmationToken } = await chargeAt(subject, 2);
      await subject.sendJson('POST', path, { confirmationToken });
    });
    await subject.sendJson('POST', path, { confirmationToken: uniqueId() });
  },
  'charges.synthetic': async (subject) => {
    const body = { transactionType: 'Chargeback', amount: 1, merchantTransactionId: uniqueId() };
    await leniently(async () => {
      const { id } = await chargeAt(subject, 3);
      const path = `${chargesPath}/${encodeURIComponent(id)}`;
      await subject.sendJson('POST', `${path}/settles`);
      await subject.sendJson('POST', `${path}/transactions/synthetic`, body);
    });
    await refusedOnUnknown('/transactions/synthetic', body)(subject);
  },
  'charges.delivery': playStory,
  'accounts.charge': probeAccount,
  'accounts.confirmation': probeAccount,
  'accounts.get': probeAccount,
  'accounts.credit': probeAccount,
  'orders.get': readBy('merchantOrderId', (id) => `/v2/post-sale/orders/${id}`),
  'transactions.lookup': readBy(
    'merchantTransactionId',
    (id) => `/v2/post-sale/transactions/lookup?merchantTransactionId=${id}`,
  ),
  'transactions.get': readBy('transactionId', (id) => `/v2/post-sale/transactions/${id}`),
  'fundings.report': fundingsOf,
  'fundings.records-v1': fundingsOf,
  'fundings.records-v2': fundingsOf,
};

/**
 * One rule for each operation: every response of the run has its published shape. These rules come
 * last, so that they check all responses.
 */
export const publishedRules: readonly Rule[] = publishedOperations.map((operation): Rule => {
  const { name, method, path } = operation;
  return {
    id: `published.${name}`,
    title: `${method} ${path} answers as published`,
    ...(method === 'GET' ? {} : { writes: true as const }),
    check: (subject) => answersAsPublished(subject, operation),
  };
});

async function answersAsPublished(
  subject: Subject,
  { name }: PublishedOperation,
): Promise<Finding> {
  await probes[name]?.(subject);
  const { statuses, problems, notes } = subject.answers.of(name);
  const seen = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status} ×${count}`)
    .join(', ');
  if (problems.length > 0) {
    const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
    return fail(`${problems.slice(0, SHOWN).join('; ')}${more}.`);
  }
  if (statuses.size === 0) throw new NotCheckable('Nothing was answered.');
  if (![...statuses.keys()].some((status) => status >= 200 && status < 300)) {
    throw new NotCheckable(`Only refusals were seen: ${seen}.`);
  }
  const suffix = notes.length === 0 ? '' : ` with ${notes.length} notes`;
  return pass(`${seen}${suffix}.`);
}

/** Maximum number of problems in a finding. */
const SHOWN = 5;
