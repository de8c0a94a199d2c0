import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch, type Response } from 'undici';
import type { EnvironmentName } from './environments/environment.ts';
import { startSandbox, type Sandbox, type SandboxEnvironment } from './sandbox.ts';

/** The start time of every test: a Friday afternoon. */
export const NOW = Date.parse('2026-03-06T15:00:00Z');
export const SHOP = 'http://localhost:3000';

export interface TestSandbox {
  sandbox: Sandbox;
  dataDir: string;
  environment: (name: EnvironmentName) => SandboxEnvironment;
  /** Calls the API of the sandbox environment, by default with its private key. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  control: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Submits a form to the hosted page. */
  form: (path: string, fields: Record<string, string>) => Promise<Page>;
  hosted: (parameters: Record<string, string>) => Promise<Page>;
  stop: () => Promise<void>;
}

export interface CallOptions {
  body?: unknown;
  /** Raw body, instead of JSON. */
  text?: string;
  headers?: Record<string, string>;
  /** The Authorization header; null omits it. */
  authorization?: string | null;
  baseUrl?: string;
}

export interface Answer {
  status: number;
  headers: Response['headers'];
  /** Raw body; empty if there is none. */
  text: string;
  /** The parsed body; an empty object if there is none. */
  body: Record<string, unknown>;
}

export interface Page {
  status: number;
  headers: Response['headers'];
  html: string;
  /** The page's message to its opener. */
  outcome: { type: string; reason?: string; confirmationToken?: string } | undefined;
}

export async function startTestSandbox(
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-')),
  options: { hostName?: string } = {},
) {
  let machineNow = NOW;
  const sandbox = await startSandbox({ ...options, dataDir, machineClock: () => machineNow++ });
  const dispatcher = new Agent({ connect: { ca: readFileSync(sandbox.caFile, 'utf8') } });
  const environment = (name: EnvironmentName) => {
    const found = sandbox.environments.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`no environment ${name}`);
    return found;
  };
  const answerOf = async (response: Response): Promise<Answer> => {
    const { status, headers } = response;
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status, headers, text, body };
  };
  const pageOf = async (response: Response): Promise<Page> => {
    const html = await response.text();
    const outcome = /data-outcome="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"');
    return {
      status: response.status,
      headers: response.headers,
      html,
      outcome: outcome ? (JSON.parse(outcome) as Page['outcome']) : undefined,
    };
  };
  const test: TestSandbox = {
    sandbox,
    dataDir,
    environment,
    call: async (method, path, options = {}) => {
      const text = options.body === undefined ? options.text : JSON.stringify(options.body);
      const authorization =
        options.authorization === undefined
          ? `Bearer ${environment('sandbox').privateKey}`
          : options.authorization;
      return answerOf(
        await fetch((options.baseUrl ?? sandbox.apiUrl) + path, {
          method,
          dispatcher,
          headers: {
            ...(authorization === null ? {} : { authorization }),
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...options.headers,
          },
          body: text,
        }),
      );
    },
    control: async (method, path, body) =>
      answerOf(
        await fetch(sandbox.controlUrl + path, {
          method,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    form: async (path, fields) =>
      pageOf(
        await fetch(sandbox.hostedUrl + path, {
          method: 'POST',
          body: new URLSearchParams(fields),
        }),
      ),
    hosted: async (parameters) =>
      pageOf(
        await fetch(`${sandbox.hostedUrl}/checkout?${new URLSearchParams(parameters).toString()}`),
      ),
    stop: async () => {
      await dispatcher.close();
      await sandbox.stop();
    },
  };
  return test;
}

/** Stops the sandbox and removes its folder. */
export async function discard(test: TestSandbox): Promise<void> {
  await test.stop();
  rmSync(test.dataDir, { recursive: true });
}

/** Returns a session request with every documented field; the total follows the documented rule. */
export function publishedSession() {
  const address = {
    country: 'US',
    state: 'OR',
    city: 'Fernhollow',
    line1: '12 Larch Lane',
    line2: 'Unit 4',
    zipCode: '97999',
  };
  return {
    consumerDetails: {
      firstName: 'Ada',
      lastName: 'Example',
      email: 'ada@shop.example',
      shippingAddress: address,
      billingAddress: address,
      netMonthlyIncome: 4200,
      dateOfBirth: '1990-02-03T00:00:00Z',
      mobilePhoneNumber: '5035550142',
      housingStatus: 'RENT',
      preferences: { language: 'En', marketingOptIn: false },
      merchantConsumerId: 'shopper-77',
    },
    cartDetails: {
      merchantOrderId: 'ORDER-1001',
      items: [
        {
          name: 'Walnut Desk',
          price: 50,
          sku: 'DESK-W',
          quantity: 2,
          leasable: true,
          productCategory: 'Furniture',
          warranty: { name: '2-year cover', sku: 'COV-2', price: 15 },
          taxAmount: 8,
          discounts: [{ name: 'Line offer', amount: 2 }],
        },
      ],
      discounts: [{ name: 'Welcome', amount: 5 }],
      taxAmount: 10,
      shippingTaxAmount: 1.5,
      shippingAmount: 8,
      totalAmount: 129.5,
    },
    merchantDetails: { storeId: 'store1', posId: null, posType: 'GenericConsumerDevice' },
    checkoutDetails: {
      currency: 'USD',
      flowType: 'Checkout',
      channel: 'E_COMMERCE',
      source: 'Api',
      promoCode: 'INST-12',
      tags: { campaign: 'spring' },
      correlationId: 'corr-42',
    },
  };
}

/** Returns the field names of a 422, as in the documented example: `CartDetails.Items[0].Price`. */
export function refusedFields({ body }: Answer): string[] {
  const errors = (body.Errors ?? []) as { Field: string }[];
  return errors.map(({ Field }) => Field);
}

/** Gets the documented status of an application. */
export async function statusOf(test: TestSandbox, applicationId: string) {
  return (await test.call('GET', `/v2/checkout/applications/${applicationId}/status`)).body;
}

/** Returns a prime body, whose consumer may lack fields that a session request requires. */
export function sessionBody(total = 1015.11, merchantOrderId = 'ORD-1', currency = 'USD') {
  return {
    consumerDetails: {
      firstName: 'Ada',
      lastName: 'Quayle',
      email: 'ada@example.com',
      mobilePhoneNumber: '2025550123',
    },
    cartDetails: {
      merchantOrderId,
      items: [{ name: 'Walnut desk', price: total, sku: 'D-1', quantity: 1 }],
      taxAmount: 0,
      shippingAmount: 0,
      totalAmount: total,
    },
    checkoutDetails: { currency },
  };
}

export const details = {
  firstName: 'Ada',
  lastName: 'Quayle',
  email: 'ada@example.com',
  phone: '(202) 555-0123',
  birthDate: '1990-02-03',
  income: '52000',
  consent: 'yes',
};

/** Primes a session. @returns the parameters of the hosted page, and the application's id */
export async function prime(test: TestSandbox, body: object = sessionBody()) {
  const { body: primed } = await test.call('POST', '/v1/checkout/prime', { body });
  const visit = {
    session: String(primed.id),
    key: test.environment('sandbox').publicKey,
    origin: SHOP,
  };
  return { visit, applicationId: String(primed.applicationId) };
}

/** Primes, applies and confirms an offer. @returns the confirmation token */
export async function confirmOffer(
  test: TestSandbox,
  options: { body?: object; lastName?: string; offer?: string } = {},
): Promise<string> {
  const { visit } = await prime(test, options.body);
  const lastName = options.lastName ?? details.lastName;
  await test.form('/checkout/details', { ...visit, ...details, lastName });
  const offer = options.offer ?? 'QUI-999-12';
  const page = await test.form('/checkout/confirm', { ...visit, offer, agree: 'yes' });
  return page.outcome?.confirmationToken ?? '';
}

/**
 * Creates a charge. With a settle, `merchantTransactionId` is the id of the settle, which is then a
 * separate request: in the creation request, it would be the id of the authorization.
 */
export async function charge(
  test: TestSandbox,
  options: { body?: object; settle?: boolean; offer?: string; merchantTransactionId?: string } = {},
): Promise<string> {
  const confirmationToken = await confirmOffer(test, options);
  const { merchantTransactionId, settle = false } = options;
  const isNamed = merchantTransactionId !== undefined;
  const { body } = await test.call(
    'POST',
    `/v2/post-sale/charges?settle=${String(settle && !isNamed)}`,
    { body: { confirmationToken, ...(settle ? {} : { merchantTransactionId }) } },
  );
  const id = String(body.id);
  if (settle && isNamed) {
    const path = `/v2/post-sale/charges/${id}/settles`;
    await test.call('POST', path, { body: { merchantTransactionId } });
  }
  return id;
}

/** Reads the records of a fundings operation. */
export async function records(
  test: TestSandbox,
  path = '/v2/post-sale/fundings/report',
): Promise<Record<string, unknown>[]> {
  const { body } = await test.call('GET', path);
  return body.records as Record<string, unknown>[];
}
