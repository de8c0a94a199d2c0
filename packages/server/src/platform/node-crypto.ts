interface Runtime {
  process?: { getBuiltinModule?: typeof process.getBuiltinModule };
}

const { process: node } = globalThis as Runtime;

/**
 * Node's cryptography, if the runtime has it (Node, Bun, Deno, workerd with its compatibility
 * flag). Every runtime has Web Crypto, but Web Crypto dispatches even a few bytes to another
 * thread, which costs each checkout more than the hash itself.
 */
export const nodeCrypto = node?.getBuiltinModule?.('node:crypto');
