/**
 * The package `@financing-checkout/ticket` under its earlier name.
 * @deprecated Import `@financing-checkout/ticket`, which every bundler for a server resolves.
 * @packageDocumentation
 */
export * from '@financing-checkout/ticket';
