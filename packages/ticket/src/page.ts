export const refusal =
  '@financing-checkout/ticket runs on a server only: a secret in a page is public, and whoever has it can sign any order. Import it in the backend of your shop, and give the page the signed ticket.';

interface Runtime {
  document?: unknown;
  process?: { versions?: { node?: string } };
}

/**
 * Throws in a page, where a build without the "browser" condition may put this package.
 * @throws {Error}
 */
export function refusePage(): void {
  const { document, process: node } = globalThis as Runtime;
  // Test environments on Node.js, such as jsdom, have a document too.
  if (document !== undefined && node?.versions?.node === undefined) throw new Error(refusal);
}
