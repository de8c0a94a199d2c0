export const sync = {
  title: 'Sync',
};
