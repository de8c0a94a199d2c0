/** Ports of the programs of `npm start`. CONTRIBUTING.md lists them, and a test keeps the two equal. */
export const stackPorts = {
  shop: 3000,
  companion: 4000,
  backOffice: 4001,
  reconciliation: 4002,
  sandboxApi: 4443,
  hosted: 4444,
  control: 4445,
};

/** Ports of the pages that `npm start` serves in addition. */
export const pagePorts = { playground: 3100, docs: 3300 };
