/** Header by which the client's requests to the API are recognised, and its value. */
export const clientInfoHeader = 'X-Logbook-Client-Info';
export const clientInfo = 'Logbook web client';
