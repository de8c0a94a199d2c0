interface Runtime {
  process?: { getBuiltinModule?: typeof process.getBuiltinModule };
}

const { process: node } = globalThis as Runtime;

/**
 * Node's own cryptography, where the runtime has it (Node, Bun, Deno, workerd with its
 * compatibility flag). WebCrypto, which every runtime has, sends even a few bytes to another thread
 * and back: on the way of every checkout that cost more than the hashing.
 */
export const nodeCrypto = node?.getBuiltinModule?.('node:crypto');
