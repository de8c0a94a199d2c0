import { ProblemError } from '../platform/problem.ts';

/** Another sync is running. */
export class SyncBusyError extends Error {
  override readonly name = 'SyncBusyError';
}

/** Another process, the only writer, holds the lease. */
export class LeaseHeldError extends Error {
  override readonly name = 'LeaseHeldError';
  /** Base URL of the holder's HTTP API; undefined: the holder is a command without a URL. */
  readonly address: string | undefined;

  constructor(address: string | undefined) {
    super(
      address === undefined
        ? 'Another command is using the record store: retry when it has ended.'
        : `The process at ${address} is using the record store: send requests to it.`,
    );
    this.address = address;
  }
}

/** The record store belongs to another environment of the service. */
export class EnvironmentMismatchError extends Error {
  override readonly name = 'EnvironmentMismatchError';
  readonly code = 'environment-mismatch';

  constructor(stated: string, own: string) {
    super(
      `The record store holds facts of "${own}", and RECONCILIATION_ENVIRONMENT is "${stated}": use a record store for each environment.`,
    );
  }
}

/** Returns the error for a request that needs a configured lake. */
export function lakeNotConfigured(): ProblemError {
  return new ProblemError('lake-not-configured', {
    detail: 'Set RECONCILIATION_LAKE of "serve" to a folder.',
  });
}
