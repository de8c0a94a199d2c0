/* Applications without a cart, and programmes, against the sandbox and without a browser. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  prequalificationSchema,
  programmeFileSchema,
  programmesSchema,
  type Prequalification,
} from '../../packages/contract/dist/storefront/index.js';
import { confirmOffer } from '../../bench/chaos/hosted.ts';
import { root } from '../../scripts/paths.ts';
import { checkedAnswers, expectAllPublished } from './answers.ts';
import { askControl, freshStack, moveClock, type FreshStack } from './harness.ts';

let stack: FreshStack;
beforeAll(async () => {
  stack = await freshStack({ companionEnv: { COMPANION_RATE_LIMIT_PER_ADDRESS: '0' } });
});
afterAll(() => stack.remove());

/** Sends a request as a page of the shop does. */
async function ask(path: string, headers: Record<string, string>, body?: object) {
  const response = await fetch(stack.companion + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      origin: stack.shop,
      authorization: `Bearer ${stack.secrets.publicKey}`,
      'financing-checkout-version': '1',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as object };
}

/** Starts an application, and returns the data and the actions of its page. */
async function begin() {
  const secret = randomUUID() + randomUUID();
  const post = () =>
    ask(
      '/prequalifications',
      { 'idempotency-key': secret },
      { environment: 'sandbox', currency: 'USD', amount: 89_000 },
    );
  const { status, body } = await post();
  expect(status).toBe(201);
  const begun = prequalificationSchema.parse(body);
  const read = async (): Promise<Prequalification> => {
    const answer = await ask(`/prequalifications/${begun.id}`, {
      'financing-checkout-secret': secret,
    });
    expect(answer.status).toBe(200);
    return prequalificationSchema.parse(answer.body);
  };
  /** Fills in the hosted page that an answer names, as a shopper does. */
  const apply = ({ presentation }: Prequalification, lastName: string) =>
    confirmOffer(presentation?.hosted?.url ?? '', { lastName });
  return { apply, begun, post, read };
}

describe('an application without a cart', () => {
  test('is opened once for a key, by the published operation', async () => {
    const { begun, post, read } = await begin();
    expect(begun).toMatchObject({ environment: 'sandbox', status: 'open' });
    expect((await post()).body).toEqual(begun);
    expect(await read()).toMatchObject({ id: begun.id, status: 'open' });
    const names = new Set(checkedAnswers(stack.answersFile).map(({ operation }) => operation));
    expect(names).toContain('session.create');
    expect(names).not.toContain('checkout.prime');
    expectAllPublished(stack.answersFile);
  });

  test('is continued on another page, and prequalifies with the amount of the lender', async () => {
    const { apply, read } = await begin();
    await apply(await read(), 'Quayle');
    // Reads within two seconds share one call to the service.
    await expect.poll(async () => (await read()).status).toBe('prequalified');
    const answer = await read();
    expect(answer.amount?.currency).toBe('USD');
    expect(answer.amount?.value).toBeGreaterThanOrEqual(89_000);
    expect(answer).not.toHaveProperty('presentation');
  });

  test.each([
    ['Decline', 'declined'],
    ['Expire', 'expired'],
  ])('of %s is %s', async (lastName, status) => {
    const { apply, begun, read } = await begin();
    await apply(begun, lastName);
    expect(await read()).toMatchObject({ status });
    expect(await read()).not.toHaveProperty('presentation');
  });

  test('is pending until the lender decides and can be continued until then', async () => {
    const { apply, begun, read } = await begin();
    await apply(begun, 'Pending');
    const pending = await read();
    expect(pending.status).toBe('pending');
    expect(pending.presentation?.sessionToken).toBeDefined();
    await askControl(stack, '/outcomes/resolve', {
      applicationId: pending.applicationId,
      decision: 'approved',
    });
    await expect.poll(async () => (await read()).status).toBe('prequalified');
  });

  test('that a shopper left is expired once the service says so', async () => {
    const { read } = await begin();
    await moveClock(stack, '3h');
    expect((await read()).status).toBe('expired');
  });
});

describe('the programmes', () => {
  const file = join(root, 'examples/shop/programmes.json');

  test('are published for any origin, with the texts of the example shop’s file', async () => {
    const response = await fetch(`${stack.companion}/programmes`, {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const etag = response.headers.get('etag') ?? '';
    const { programmes } = programmesSchema.parse(await response.json());
    const stated = programmeFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(programmes).toMatchObject(stated.programmes);
    const again = await fetch(`${stack.companion}/programmes`, {
      headers: { 'if-none-match': etag },
      cache: 'no-store',
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('of the example shop include each lender of the sandbox, in each language', async () => {
    const { programmes } = programmeFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const listed = (await askControl(stack, '/lenders', undefined, 'GET')) as {
      lenders: { id: string; name: string }[];
    };
    const lenders = new Map(programmes.map(({ lender }) => [lender.id, lender.name]));
    expect([...lenders].sort()).toEqual(listed.lenders.map(({ id, name }) => [id, name]).sort());
    for (const { texts } of programmes) {
      expect(texts.map(({ language }) => language)).toEqual(['en', 'de', 'ar']);
    }
  });
});
