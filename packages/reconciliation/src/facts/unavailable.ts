import { isUnavailable } from '@financing-checkout/kit/sql';
import type { FactStore } from './store.ts';

/**
 * Wraps a store to call `onUnavailable` for each operation that fails because the store is
 * unavailable.
 */
export function watchStore(facts: FactStore, onUnavailable: () => void): FactStore {
  return new Proxy(facts, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, values);
        if (result instanceof Promise) {
          result.catch((error: unknown) => {
            if (isUnavailable(error)) onUnavailable();
          });
        }
        return result;
      };
    },
  });
}
