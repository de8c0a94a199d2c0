import { afterEach, expect, test, vi } from 'vitest';
import { order, TICKET_SECRET } from './order.fixture.ts';
import { signOrderTicket } from './sign.ts';
import { createTicketVerifier } from './verify.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const words = /runs on a server only: a secret in a page is public/;
const options = { secret: TICKET_SECRET };

test('what a bundler for pages finds says where the package runs', async () => {
  await expect(import('./server-only.ts')).rejects.toThrow(words);
});

test('a page neither signs nor verifies, also where the build put the package there', async () => {
  vi.stubGlobal('document', {});
  vi.stubGlobal('process', { env: {} });
  await expect(signOrderTicket(order, options)).rejects.toThrow(words);
  expect(() => createTicketVerifier({ secrets: [TICKET_SECRET] })).toThrow(words);
});

test('a test environment of Node.js with a document signs', async () => {
  vi.stubGlobal('document', {});
  expect(await signOrderTicket(order, options)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});
