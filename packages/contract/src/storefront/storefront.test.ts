import { describe, expect, it, test } from 'vitest';
import { checkoutStatuses, outcomes } from './outcome.ts';
import {
  checkoutSchema,
  confirmationRequestSchema,
  presentationSchema,
  primeRequestSchema,
} from './storefront.ts';

/** An invalid value that no message may repeat. */
const canary = 'canary-7f3e';

describe('a request from the browser', () => {
  const prime = {
    order: 'header.payload.signature',
    environment: 'sandbox',
    returnUrl: 'https://shop.example/checkout?step=2',
    locale: 'en-US',
  };

  it('is accepted unchanged', () => {
    expect(primeRequestSchema.parse(prime)).toEqual(prime);
    expect(confirmationRequestSchema.parse({ confirmationToken: 't' })).toEqual({
      confirmationToken: 't',
    });
  });

  test.each([
    ['', { ...prime, amount: 1 }],
    ['', { ...prime, totalAmount: 1 }],
    ['', { ...prime, presentation: 'embedded' }],
    ['order', { ...prime, order: '' }],
    ['order', { ...prime, order: canary.repeat(300_000) }],
    ['order', { environment: 'sandbox' }],
    ['environment', { ...prime, environment: canary }],
    ['returnUrl', { ...prime, returnUrl: `javascript:alert('${canary}')` }],
    ['returnUrl', { ...prime, returnUrl: `/${canary}` }],
    ['returnUrl', { ...prime, returnUrl: `data:text/html,${canary}` }],
    ['locale', { ...prime, locale: `${canary}_x` }],
    ['locale', { ...prime, locale: 'en\r\nX-Header: 1' }],
  ])('is refused when "%s" is wrong, without repeating it: %#', (path, request) => {
    const { error } = primeRequestSchema.safeParse(request);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(String(error)).not.toContain(canary);
  });

  test.each([
    ['confirmationToken', {}],
    ['confirmationToken', { confirmationToken: '' }],
    ['confirmationToken', { confirmationToken: canary.repeat(300) }],
    ['confirmationToken', { confirmationToken: null }],
    ['', { confirmationToken: 't', approved: true }],
  ])('confirms with only a token: "%s", %#', (path, request) => {
    const { error } = confirmationRequestSchema.safeParse(request);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(String(error)).not.toContain(canary);
  });
});

describe('the response to the browser', () => {
  const checkout = {
    id: 'chk_1',
    environment: 'sandbox',
    status: 'open',
    amount: { value: 52_881, currency: 'USD' },
    merchantOrderId: 'A-1001',
    expiresAt: '2026-11-20T21:36:00Z',
  };

  it('is a checkout in one of its statuses, which include every outcome', () => {
    expect(checkoutStatuses).toEqual(expect.arrayContaining([...outcomes]));
    for (const status of checkoutStatuses) {
      expect(checkoutSchema.parse({ ...checkout, status }).status).toBe(status);
    }
    expect(checkoutSchema.safeParse({ ...checkout, status: 'paid' }).success).toBe(false);
  });

  it('states its expiry in UTC', () => {
    const local = { ...checkout, expiresAt: '2026-11-20T21:36:00+02:00' };
    expect(checkoutSchema.safeParse(local).success).toBe(false);
  });

  it('contains only http(s) URLs for frames and scripts', () => {
    const hosted = (url: string) => ({
      hosted: { url, modes: ['embedded'] },
      sessionToken: 'session',
    });
    const sdk = (src: string) => ({ sdk: { src, global: 'Sdk' }, sessionToken: 'session' });
    for (const url of ['https://pay.example/checkout?s=1', 'http://localhost:4444/checkout']) {
      expect(presentationSchema.safeParse(hosted(url)).success).toBe(true);
      expect(presentationSchema.safeParse(sdk(url)).success).toBe(true);
    }
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'blob:https://x/1',
      '/checkout',
    ]) {
      expect(presentationSchema.safeParse(hosted(url)).success).toBe(false);
      expect(presentationSchema.safeParse(sdk(url)).success).toBe(false);
    }
  });
});
