export const imports = {
  title: 'Imports',
};
