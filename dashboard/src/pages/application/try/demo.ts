/** The parts of the demo of `npm start`, as the service makes it. */

/** They have the same password. */
export const demo_people = { administrator: 'demo@example.com', viewer: 'viewer@example.com' } as const

/** The scopes of the API of the demo. */
export const demo_scopes = ['orders:read', 'orders:delete'] as const

/** The address of the API of the demo, which is the audience of its tokens. */
export const ordersApi = () => `${location.origin}/demo/orders`
