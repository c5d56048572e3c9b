/** An agent as the service lists it. `custom_status: 1` means blocked. */
export function agent(id: number, name: string, custom_status: 0 | 1) {
  return {
    id,
    name,
    follow_me_number: "",
    eid: `500${id}`,
    intercom: `1${id}`,
    calls_answered: 0,
    product_clicktocall: 0,
    team_id: null,
    team_name: null,
    custom_status,
    timegroup_name: null,
    timegroup_id: null,
    failover_destination: null,
    failover_destination_name: null,
    departments: [],
  };
}
