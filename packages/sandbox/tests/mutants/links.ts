import { bodies } from './answers.ts';
import type { Deviation, MutantCall } from './call.ts';
import { invalid, operationOf, parsed, withCode, type Json } from './contract.ts';
import type { Mutant } from './mutant.ts';

const created = ['links.checkout', 'links.application'];
const all = [...created, 'links.get'];

/** Rewrites the request for a link before it is forwarded. */
const requestOf =
  (rewrite: (body: Json) => void): Deviation =>
  (call: MutantCall) => {
    if (created.includes(operationOf(call))) {
      const body = parsed(call.body);
      rewrite(body);
      call.body = JSON.stringify(body);
    }
    return call.forward();
  };

const cartOf = ({ cart }: Json): Json => (cart ?? {}) as Json;

export const linkMutants: readonly Mutant[] = [
  {
    name: 'no-links',
    breaks: ['links.created', ...all.map((name) => `published.${name}`)],
    how: async (call) => (all.includes(operationOf(call)) ? withCode(404, '1000') : call.forward()),
  },
  {
    name: 'link-has-no-qr-code',
    breaks: ['links.created'],
    how: bodies(created, (body) => ({ ...body, qrCode: null })),
  },
  {
    name: 'delivery-needs-no-recipient',
    breaks: ['links.required'],
    how: requestOf(({ linkOptions }) => {
      if (linkOptions !== undefined) delete (linkOptions as Json).deliveryMethod;
    }),
  },
  {
    name: 'link-takes-a-long-order-id',
    breaks: ['links.invalid'],
    how: requestOf((body) => {
      const cart = cartOf(body);
      const { merchantOrderId: id } = cart;
      if (typeof id === 'string') cart.merchantOrderId = id.slice(0, 100);
    }),
  },
  {
    name: 'link-is-refused-as-422',
    breaks: ['links.required', 'links.invalid'],
    how: async (call) => {
      const isMeant = created.includes(operationOf(call));
      const response = await call.forward();
      return isMeant && response.status === 400 ? invalid() : response;
    },
  },
  {
    name: 'link-takes-any-total',
    breaks: ['links.total'],
    how: requestOf((body) => {
      const cart = cartOf(body);
      if (cart.totalAmount === 26) cart.totalAmount = 25;
    }),
  },
  {
    name: 'new-link-is-accessed',
    breaks: ['links.new'],
    how: bodies(['links.get'], (body) => ({ ...body, linkStatus: 'Accessed' })),
  },
  {
    name: 'link-shows-its-consumer',
    breaks: ['published.links.get'],
    how: bodies(['links.get'], (body) => ({ ...body, consumer: { firstName: 'Ada' } })),
  },
];
