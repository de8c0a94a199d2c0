import { fail, NotCheckable, pass, type Finding } from '../finding.ts';
import { writing, type Rule } from '../rule.ts';
import {
  codesOf,
  describe,
  isObject,
  isSuccess,
  jsonOf,
  needsKey,
  uniqueId,
  type Subject,
} from '../subject.ts';
import type { Exchange } from '../wire.ts';

const linksPath = '/v2/omni-link/consumer';

/** Rules of the published contract about links. Source: reference, Omni-link. */
export const linkRules: readonly Rule[] = [
  writing(
    'links.created',
    'A link has an id and an address, and on request a QR code of base64 PNG',
    createdLinks,
  ),
  writing(
    'links.required',
    'A required field that is missing, also for a delivery, is 400 with code 10001',
    requiredFields,
  ),
  writing(
    'links.invalid',
    'An invalid or unpublished field of a link is 400 with code 10002 or 10000',
    invalidFields,
  ),
  writing(
    'links.total',
    'The total of a link is its items less discounts, with tax and shipping',
    totalOfCart,
  ),
  writing('links.new', 'A link that has not been opened is New and has no application', newLink),
];

const applicationDetails = { channel: 'IN_STORE' };
const item = { name: 'Conformance', sku: 'CONFORMANCE', price: 10, quantity: 1 };
const consumer = {
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@shop.example',
  mobilePhoneNumber: '5035550142',
};

/** The smallest request for a link to a checkout: nothing is delivered. */
const smallestLink = { applicationDetails, cart: { items: [item], totalAmount: 10 } };

const createLink = (subject: Subject, body: object, kind = 'checkout'): Promise<Exchange> =>
  subject.sendJson('POST', `${linksPath}/${kind}`, body);

/** Returns the id of the created link; undefined if none was created. */
function linkIdOf(exchange: Exchange): string | undefined {
  const body = isSuccess(exchange) ? jsonOf(exchange) : undefined;
  return isObject(body) && typeof body.linkId === 'string' ? body.linkId : undefined;
}

/** @throws {NotCheckable} when the service creates no link, so a rejection proves nothing */
async function needsLink(subject: Subject): Promise<string> {
  const exchange = await createLink(subject, smallestLink);
  needsKey(exchange);
  const id = linkIdOf(exchange);
  if (id === undefined) {
    throw new NotCheckable(`A link has ${describe(exchange)}: see links.created.`);
  }
  return id;
}

async function createdLinks(subject: Subject): Promise<Finding> {
  const linkOptions = { linkFormat: 'UrlAndQrCode', deliveryMethod: 'None' };
  for (const [kind, body] of [
    ['checkout', { ...smallestLink, linkOptions }],
    ['application', { applicationDetails, linkOptions }],
  ] as const) {
    const exchange = await createLink(subject, body, kind);
    needsKey(exchange);
    const answer = jsonOf(exchange);
    if (linkIdOf(exchange) === undefined || !isObject(answer)) {
      return fail(`A link of the kind ${kind} has ${describe(exchange)} and no linkId.`);
    }
    if (typeof answer.url !== 'string' || !URL.canParse(answer.url)) {
      return fail(`A link of the kind ${kind} has no address.`);
    }
    // The first bytes of a PNG (ISO/IEC 15948, 5.2), in base64.
    if (typeof answer.qrCode !== 'string' || !answer.qrCode.startsWith('iVBORw0KGgo')) {
      return fail(`A link of the kind ${kind} has no QR code that is a PNG.`);
    }
  }
  return pass('One of each kind has an id, an address and a QR code.');
}

async function requiredFields(subject: Subject): Promise<Finding> {
  await needsLink(subject);
  const deliver = (deliveryMethod: string, { ...known }: Partial<typeof consumer>) => ({
    ...smallestLink,
    consumer: known,
    linkOptions: { deliveryMethod },
  });
  const { email, mobilePhoneNumber, ...names } = consumer;
  return refusesEach(
    subject,
    ['10001'],
    [
      ['no cart', { applicationDetails }],
      ['no channel', { ...smallestLink, applicationDetails: {} }],
      ['Email without an address', deliver('Email', { ...names, mobilePhoneNumber })],
      ['Sms without a phone', deliver('Sms', { ...names, email })],
      ['Email without names', deliver('Email', { email })],
      ['Sms without names', deliver('Sms', { mobilePhoneNumber })],
    ],
  );
}

async function invalidFields(subject: Subject): Promise<Finding> {
  await needsLink(subject);
  const { cart } = smallestLink;
  const address = { state: 'OR', city: 'Fernhollow', line1: '12 Larch Lane', zipCode: '97999' };
  const billingAddress = { ...address, country: 'US' };
  return refusesEach(
    subject,
    ['10000', '10002'],
    [
      [
        'an order id of 101 characters',
        { ...smallestLink, cart: { ...cart, merchantOrderId: 'A'.repeat(101) } },
      ],
      ['a country in an address', { ...smallestLink, consumer: { ...consumer, billingAddress } }],
      ['taxAmount in a cart', { ...smallestLink, cart: { ...cart, taxAmount: 0 } }],
      ['a settle without a charge', { ...smallestLink, checkoutOptions: { settle: true } }],
      ['an empty cart', { ...smallestLink, cart: { ...cart, items: [] } }],
      ['another format', { ...smallestLink, linkOptions: { linkFormat: 'Conformance' } }],
    ],
  );
}

async function refusesEach(
  subject: Subject,
  codes: readonly string[],
  tries: readonly (readonly [string, object])[],
): Promise<Finding> {
  for (const [name, body] of tries) {
    const exchange = await createLink(subject, body);
    const isRefused = exchange.answered && exchange.status === 400;
    if (!isRefused || !codesOf(exchange).some((code) => codes.includes(code))) {
      return fail(`A link with ${name} has ${describe(exchange)}, not 400 and ${codes.join('/')}.`);
    }
  }
  return pass(`${tries.length} were refused with 400.`);
}

/** Two units at 10 plus a warranty of 5, minus 3, plus tax of 2 and shipping of 1 total 25. */
async function totalOfCart(subject: Subject): Promise<Finding> {
  await needsLink(subject);
  const cart = {
    items: [{ ...item, quantity: 2, warranty: { name: 'Cover', sku: 'COVER', price: 5 } }],
    discounts: [{ name: 'Conformance', amount: 3 }],
    totalTaxAmount: 2,
    shippingAmount: 1,
  };
  const right = await createLink(subject, {
    applicationDetails,
    cart: { ...cart, totalAmount: 25 },
  });
  const wrong = await createLink(subject, {
    applicationDetails,
    cart: { ...cart, totalAmount: 26 },
  });
  const seen = `The sum has ${describe(right)}, one more has ${describe(wrong)}.`;
  return isSuccess(right) && !isSuccess(wrong) ? pass(seen) : fail(seen);
}

async function newLink(subject: Subject): Promise<Finding> {
  const id = await needsLink(subject);
  const exchange = await subject.get(`${linksPath}/${encodeURIComponent(id)}`);
  const body = jsonOf(exchange);
  if (!isSuccess(exchange) || !isObject(body)) return fail(`It has ${describe(exchange)}.`);
  const { linkType, linkStatus, applications = [] } = body;
  const isUnopened = Array.isArray(applications) && applications.length === 0;
  return linkType === 'ConsumerCheckout' && linkStatus === 'New' && isUnopened
    ? pass('It is a ConsumerCheckout, New, without an application.')
    : fail('It is no ConsumerCheckout, not New, or has an application.');
}

/** Creates a link of a kind, and sends a request without its required fields. */
export async function probeLinks(subject: Subject, kind: string): Promise<void> {
  await createLink(subject, {}, kind);
  await createLink(subject, kind === 'checkout' ? smallestLink : { applicationDetails }, kind);
}

/** Looks up an unknown link and, if the run may write, a new one. */
export async function probeLink(subject: Subject): Promise<void> {
  await subject.get(`${linksPath}/${uniqueId()}`);
  if (!subject.options.mayWrite) return;
  const id = linkIdOf(await createLink(subject, smallestLink));
  if (id !== undefined) await subject.get(`${linksPath}/${encodeURIComponent(id)}`);
}
