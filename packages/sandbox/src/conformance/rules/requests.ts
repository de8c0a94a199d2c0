import { chargesPath } from '../charge-story.ts';
import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { rule, writing, type Rule } from '../rule.ts';
import {
  codesOf,
  describe,
  fundingPaths,
  isSuccess,
  needsKey,
  uniqueId,
  type Subject,
} from '../subject.ts';
import type { Exchange } from '../wire.ts';

const sessionPath = '/v3/session';

/** Rules of the published contract about requests. Source: reference, Checkout, Charge API. */
export const requestRules: readonly Rule[] = [
  writing(
    'requests.session',
    'A session needs only checkoutDetails, and the items and total of a cart',
    smallestSession,
  ),
  writing(
    'requests.enumerated',
    'A session with a value outside the enumeration is refused',
    enumeratedValues,
  ),
  writing('requests.warranty', 'A warranty counts once per line for any quantity', warrantyOnce),
  writing(
    'requests.media-types',
    'A JSON body is accepted under each published media type',
    mediaTypes,
  ),
  writing('requests.unknown-field', 'A request with an unpublished field is refused', unknownField),
  rule('requests.limit', 'The report accepts any limit above 0', anyLimit),
];

const checkoutDetails = { currency: 'USD', flowType: 'Checkout', source: 'Api' };
const item = { price: 10, quantity: 1 };
const smallest = { checkoutDetails, cartDetails: { items: [item], totalAmount: 10 } };

const openSession = (subject: Subject, body: object): Promise<Exchange> =>
  subject.sendJson('POST', sessionPath, body);

/** @throws {NotCheckable} when the service opens no session at all: a rejection proves nothing */
async function needsSession(subject: Subject): Promise<void> {
  const exchange = await openSession(subject, smallest);
  if (!isSuccess(exchange)) {
    throw new NotCheckable(`A session has ${describe(exchange)}: see requests.session.`);
  }
}

async function smallestSession(subject: Subject): Promise<Finding> {
  const tries: [string, object][] = [
    ['The smallest', smallest],
    [
      'One with null for what may be null',
      {
        ...smallest,
        cartDetails: {
          items: [{ ...item, name: null, sku: null, warranty: null, discounts: null }],
          totalAmount: 10,
          merchantOrderId: null,
          discounts: null,
        },
        consumerDetails: null,
      },
    ],
    [
      'One with a long order id',
      { ...smallest, cartDetails: { ...smallest.cartDetails, merchantOrderId: 'x'.repeat(300) } },
    ],
  ];
  for (const [name, body] of tries) {
    const exchange = await openSession(subject, body);
    needsKey(exchange);
    if (!isSuccess(exchange)) return fail(`${name} has ${describe(exchange)}.`);
  }
  const without = await openSession(subject, { cartDetails: smallest.cartDetails });
  return isSuccess(without)
    ? fail('One without checkoutDetails was taken.')
    : pass(`${tries.length} were taken; one without checkoutDetails has ${describe(without)}.`);
}

async function enumeratedValues(subject: Subject): Promise<Finding> {
  await needsSession(subject);
  const tries: [string, object][] = [
    ['source', { ...smallest, checkoutDetails: { ...checkoutDetails, source: 'Conformance' } }],
    ['posType', { ...smallest, merchantDetails: { posType: 'Conformance' } }],
  ];
  for (const [name, body] of tries) {
    const exchange = await openSession(subject, body);
    if (isSuccess(exchange)) return fail(`An unknown ${name} was taken.`);
  }
  return pass('An unknown source and an unknown posType were refused.');
}

/** Two units at 10 plus one warranty of 5 for the line total 25. */
async function warrantyOnce(subject: Subject): Promise<Finding> {
  await needsSession(subject);
  const warranty = { name: 'Cover', sku: 'CONFORMANCE-COVER', price: 5 };
  const items = [{ name: 'Conformance', sku: 'CONFORMANCE', price: 10, quantity: 2, warranty }];
  const exchange = await openSession(subject, {
    checkoutDetails,
    cartDetails: { items, totalAmount: 25 },
  });
  const seen = `A total with one warranty for two pieces has ${describe(exchange)}.`;
  return isSuccess(exchange) ? pass(seen) : fail(seen);
}

async function mediaTypes(subject: Subject): Promise<Finding> {
  await needsSession(subject);
  const types = ['text/json', 'application/json-patch+json', 'application/vnd.conformance+json'];
  for (const contentType of types) {
    const body = { text: JSON.stringify(smallest), contentType };
    const exchange = await subject.post(sessionPath, body);
    if (!isSuccess(exchange)) return fail(`As ${contentType}: ${describe(exchange)}.`);
  }
  return pass(`Taken as ${types.join(', ')}.`);
}

/** Uses an unknown confirmation, so that a service that ignores the field creates no charge. */
async function unknownField(subject: Subject): Promise<Finding> {
  const request = { confirmationToken: uniqueId() };
  const plain = await subject.sendJson('POST', chargesPath, request);
  needsKey(plain);
  const more = await subject.sendJson('POST', chargesPath, { ...request, conformance: 1 });
  const seen = `With a field more it has ${describe(more)}`;
  const isRefusal = more.answered && (more.status === 400 || more.status === 422);
  if (isRefusal && shapeOf(more) !== shapeOf(plain)) return pass(`${seen}.`);
  return fail(`${seen}, as without it: the field was ignored.`);
}

/** Returns the status and the error codes, which distinguish rejections. */
function shapeOf(exchange: Exchange): string {
  return `${describe(exchange)} ${codesOf(exchange).join()}`;
}

async function anyLimit(subject: Subject): Promise<Finding> {
  await subject.needsAccess();
  const exchange = await subject.get(`${fundingPaths.report}?limit=20000`);
  const seen = `A limit of 20000 has ${describe(exchange)}.`;
  return isSuccess(exchange) ? pass(seen) : fail(seen);
}
