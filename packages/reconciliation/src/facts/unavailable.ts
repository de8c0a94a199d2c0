import type { FactStore } from './store.ts';

/**
 * Returns whether an error means that the record store is unavailable, by socket, SQLite and
 * PostgreSQL error codes.
 */
export function isStoreUnavailable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|ERR_SQLITE_ERROR|08\w{3}|57P\d\d|53\w{3})$/.test(code);
}

/** Returns the store, and calls `onUnavailable` for each operation that fails because it is not. */
export function watchStore(facts: FactStore, onUnavailable: () => void): FactStore {
  return new Proxy(facts, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, values);
        if (result instanceof Promise) {
          result.catch((error: unknown) => {
            if (isStoreUnavailable(error)) onUnavailable();
          });
        }
        return result;
      };
    },
  });
}
