import { randomUUID } from 'node:crypto';
import { chargeAt, chargesOf, chargesPath, chargeStory } from '../charge-story.ts';
import { fundingsOf } from '../fundings.ts';
import { fail, NotCheckable, NotRun, pass, type Finding, type Rule } from '../rule.ts';
import { isObject, jsonOf, type Subject } from '../subject.ts';
import { publishedOperations, type PublishedOperation } from '../../published/operations.ts';
import { primeRequest } from './endpoints.ts';

/** Sends what shows the answers of an operation. Steps without the means for them are left out. */
type Probe = (subject: Subject) => Promise<unknown>;

const unknown = () => `conformance-${randomUUID()}`;
const unknownCharge = () => `${chargesPath}/${unknown()}`;

/** Plays the sale where there is a token for it; a refusal of it is for the rules of charges. */
const playStory: Probe = (subject) => leniently(() => chargeStory(subject));

async function leniently(step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof NotRun || error instanceof NotCheckable)) throw error;
  }
}

/** Ids that the service's own records name, for reading without writing. */
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

/** Reads by an id that a record names, and by one that does not exist. */
function readBy(field: string, path: (id: string) => string): Probe {
  return async (subject) => {
    const known = await namedIn(subject, field);
    if (known !== undefined) await subject.get(path(encodeURIComponent(known)));
    await subject.get(path(unknown()));
  };
}

async function primedApplication(subject: Subject): Promise<string | undefined> {
  const body = jsonOf(await subject.post('/v1/checkout/prime', primeRequest(subject)));
  const id = isObject(body) ? body.applicationId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** An application that exists needs a session: with writes only. */
function readApplication(what: string): Probe {
  const path = (id: string) => `/v2/checkout/applications/${encodeURIComponent(id)}/${what}`;
  return async (subject) => {
    await subject.get(path(unknown()));
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
  'charges.create': async (subject) => {
    await subject.sendJson('POST', chargesPath, { confirmationToken: unknown() });
    await subject.sendJson('POST', chargesPath, {});
    await leniently(() => chargesOf(subject));
  },
  'charges.get': readBy('chargeId', (id) => `${chargesPath}/${id}`),
  'charges.patch': async (subject) => {
    await subject.sendJson('PATCH', unknownCharge(), { merchantOrderId: unknown() });
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
    await subject.sendJson('POST', path, { confirmationToken: unknown() });
  },
  'charges.synthetic': async (subject) => {
    const body = { transactionType: 'Chargeback', amount: 1, merchantTransactionId: unknown() };
    await leniently(async () => {
      const { id } = await chargeAt(subject, 3);
      const path = `${chargesPath}/${encodeURIComponent(id)}`;
      await subject.sendJson('POST', `${path}/settles`);
      await subject.sendJson('POST', `${path}/transactions/synthetic`, body);
    });
    await refusedOnUnknown('/transactions/synthetic', body)(subject);
  },
  'charges.delivery': playStory,
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
 * One rule for each operation: every answer that the run received from it, for whatever rule, has
 * its published shape. They come last, so that they judge all of them.
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
  const beside = notes.length === 0 ? '' : ` with ${notes.length} notes`;
  return pass(`${seen}${beside}.`);
}

/** How many problems of one operation a report shows. */
const SHOWN = 5;
