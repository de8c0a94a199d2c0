interface Runtime {
  process?: { getBuiltinModule?: typeof process.getBuiltinModule };
}

const { process: node } = globalThis as Runtime;

/**
 * Node's cryptography, if the runtime has it (Node, Bun, Deno, workerd with its compatibility flag).
 * Every runtime has WebCrypto, but WebCrypto hands even a few bytes to another thread and back, which
 * costs each checkout more than the hash itself.
 */
export const nodeCrypto = node?.getBuiltinModule?.('node:crypto');
